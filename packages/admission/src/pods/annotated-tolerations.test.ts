import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { annotatedTolerations } from './annotated-tolerations.js';

const field = (found: string, name: string) =>
  `json: cannot unmarshal ${found} into Go struct field Toleration.${name}`;

// Results of Go's decoder.
it.each<[string, unknown]>([
  ['[{"Key":"a"},{"KEY":"b","key":"c"}]', [{ key: 'a' }, { key: 'c' }]],
  ['[null]', [{}]],
  ['null', []],
  ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
  ['"x"', 'json: cannot unmarshal string into Go value of type []v1.Toleration'],
  ['[[{"key":1}]]', 'json: cannot unmarshal array into Go value of type v1.Toleration'],
  ['[{"key":1}]', `${field('number', 'key')} of type string`],
  ['[{"operator":true}]', `${field('bool', 'operator')} of type v1.TolerationOperator`],
  ['[{"effect":[]}]', `${field('array', 'effect')} of type v1.TaintEffect`],
  ['[{"tolerationSeconds":1.5}]', `${field('number 1.5', 'tolerationSeconds')} of type int64`],
  ['[{"tolerationSeconds":"1"}]', `${field('string', 'tolerationSeconds')} of type int64`],
  [
    '[{"tolerationSeconds":9223372036854775808}]',
    `${field('number 9223372036854775808', 'tolerationSeconds')} of type int64`,
  ],
  ['[{"key":null,"value":"x","VALUE":null}]', [{ value: 'x' }]],
  ['[{"Kind":1,"tolerationseconds":5}]', [{ tolerationSeconds: 5 }]],
  ['[{"key":"a"}] x', "invalid character 'x' after top-level value"],
  ['[{"key":"a",}]', "invalid character '}' looking for beginning of object key string"],
  ['', 'unexpected end of JSON input'],
])('%s', (text, expected) => {
  expect(decoded(text)).toEqual(expected);
});

function decoded(text: string): unknown {
  try {
    return annotatedTolerations(text);
  } catch (error) {
    return messageOf(error);
  }
}
