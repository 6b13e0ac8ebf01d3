/** The generated client uses the browser's types. This is the only one that Node's types do not have. */
type BodyInit = NonNullable<RequestInit['body']>;
