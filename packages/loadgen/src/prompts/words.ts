/**
 * Words that prompts are made of. Each, after a space, is one token in the vocabularies of GPT-2's kin (p50k, cl100k,
 * o200k), Llama 2 and Llama 3, and all have four letters, so that a tokenizer of bytes or characters too counts them
 * alike. A server is not trusted to do so: the calibrator asks it.
 */
export const promptWords: readonly string[] = `
  able aged also area away baby back ball band bank bath beat been best bird blue boat body book both burn call calm
  came camp card care case chat chip city club coat code cold come cook cool copy cost dark data date days deal deep
  disk does done door down draw each ease easy edge else even ever face fact fair fall farm fast fear feel feet file
  fill film find fine fire firm fish five flat flow food foot form four free from full game gift give glad goes gold
  gone good grow hair half hand hang hard have head hear heat held help here hero high hill hold home hope hour huge
  idea into join jump just keen keep kind king know land last late lead left less life lift like line link list live
  load loan lock logo long look lost love luck made main make many mark mean meet mile mind miss more most move much
  must name near neck need news next nice nine none nose note once only onto open over pace page paid pair park part
  pass past path peak pick plan play plot plus pool port post pull pure push race rail rain rare rate read real rear
  rest rice rich ride rise risk road rock role roll roof room root rose rule safe said salt same sand save seat seed
  seem seen self send sent ship shop shot show side sign site size skin slow snow soft sold sole some song soon sort
  soul spot star
`
  .trim()
  .split(/\s+/);
