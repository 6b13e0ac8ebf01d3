/** The generated client is written against the browser's types; Node's lack the name of this one alone. */
type BodyInit = NonNullable<RequestInit['body']>;
