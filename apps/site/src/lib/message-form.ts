/** "The run had # requests in # s.": equal for messages that differ in numbers only. */
export const messageForm = (message: string): string => message.replace(/\d+(?:[.,]\d+)*/g, '#');
