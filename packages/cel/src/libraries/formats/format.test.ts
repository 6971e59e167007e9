import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';

test.each([
  ['format.dns1123Label().validate("a.b")', 'optional([must not contain dots])', 9],
  ['format.dns1123Label().validate("a-b")', 'optional.none()', 9],
  ['format.dns1123LabelPrefix().validate("a-")', 'optional.none()', 9],
  ['format.dns1123LabelPrefix().validate("é-").hasValue()', 'true', 10],
  ['format.uuid().validate("x")', 'optional([does not match the UUID format])', 19],
  ['format.byte().validate("aGVsbG8=")', 'optional.none()', 22],
  ['format.byte().validate("aGVsbG8")', 'optional([invalid base64])', 22],
  ['format.byte().validate("A===")', 'optional([invalid base64])', 22],
  ['format.date().validate("2023-02-29")', 'optional([invalid date])', 37],
  ['format.datetime().validate("2024-02-29T23:59:60Z")', 'optional([invalid datetime])', 55],
  ['format.uri().validate("a")', 'optional([parse "a": invalid URI for request])', 277],
  ['format.named("uri").value() == format.uri()', 'true', 4],
  ['format.named("nope")', 'optional.none()', 1],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
