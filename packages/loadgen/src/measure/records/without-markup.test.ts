import { expect, test } from 'vitest';
import { messageIn } from './outcome.ts';

const page =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';

test.each([
  [page, '502 Bad Gateway'],
  ['<!DOCTYPE html><style>p { x: y }</style><p>Too many\n requests &amp; users', 'Too many requests &amp; users'],
  ['<html><body>cut at the <b', 'cut at the'],
  ['the value <html> is not allowed', 'the value <html> is not allowed'],
  ['{"error": "Too many requests"}', 'Too many requests'],
])('the message in %j', (text, message) => {
  expect(messageIn(text).message).toBe(message);
});
