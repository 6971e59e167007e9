import { expect, it } from 'vitest';
import { decodeGo, type GoStruct, type GoType } from './decode-go.js';

const STRING: GoType = { name: 'string', scalar: 'string' };
const INNER: GoStruct = { name: 'v1.Inner', fields: { on: { name: 'bool', scalar: 'bool' } } };
const TAGGED: GoStruct = {
  name: 'v1.Outer',
  fields: { inner: INNER, list: { name: '[]v1.Inner', items: INNER } },
};
const UNTAGGED: GoStruct = {
  name: 'core.Toleration',
  fields: { key: STRING, effect: { name: 'core.TaintEffect', scalar: 'string' }, tolerationSeconds: int64() },
  isUntagged: true,
};
const LIST: GoType = { name: '[]core.Toleration', items: UNTAGGED };

function int64(): GoType {
  return { name: 'int64', scalar: 'int64' };
}

// The faults are those of Go 1.26.
it.each<[string, GoType, unknown]>([
  ['null', LIST, { value: undefined }],
  ['[null, {}]', LIST, { value: [{}, {}] }],
  ['[{"KEY": "b", "odd": 1, "effect": null}]', LIST, { value: [{ key: 'b' }] }],
  ['[{"tolerationSeconds": 5}]', LIST, { value: [{ tolerationSeconds: 5 }] }],
  [
    '{"list": [{"on": true}], "inner": {"on": false}}',
    TAGGED,
    { value: { list: [{ on: true }], inner: { on: false } } },
  ],
])('decodes %s', (text, type, expected) => {
  expect(decodeGo(text, type)).toEqual(expected);
});

it.each<[string, GoType, string]>([
  ['x', LIST, "invalid character 'x' looking for beginning of value"],
  ['[', LIST, 'unexpected end of JSON input'],
  ['{}', LIST, 'json: cannot unmarshal object into Go value of type []core.Toleration'],
  ['"a"', LIST, 'json: cannot unmarshal string into Go value of type []core.Toleration'],
  ['[1]', LIST, 'json: cannot unmarshal number into Go value of type core.Toleration'],
  ['[[]]', LIST, 'json: cannot unmarshal array into Go value of type core.Toleration'],
  ['[{"key": 1}]', LIST, 'json: cannot unmarshal number into Go struct field Toleration.Key of type string'],
  [
    '[{"eFFECT": true, "key": 2}]',
    LIST,
    'json: cannot unmarshal bool into Go struct field Toleration.Effect of type core.TaintEffect',
  ],
  [
    '[{"tolerationSeconds": "x"}]',
    LIST,
    'json: cannot unmarshal string into Go struct field Toleration.TolerationSeconds of type int64',
  ],
  [
    '[{"tolerationSeconds": 1.5}]',
    LIST,
    'json: cannot unmarshal number 1.5 into Go struct field Toleration.TolerationSeconds of type int64',
  ],
  [
    '[{"tolerationSeconds": 99999999999999999999}]',
    LIST,
    'json: cannot unmarshal number 99999999999999999999 into Go struct field Toleration.TolerationSeconds of type int64',
  ],
  ['[]', TAGGED, 'json: cannot unmarshal array into Go value of type v1.Outer'],
  ['{"list": {}}', TAGGED, 'json: cannot unmarshal object into Go struct field Outer.list of type []v1.Inner'],
  ['{"list": [1]}', TAGGED, 'json: cannot unmarshal number into Go struct field Outer.list of type v1.Inner'],
  ['{"inner": {"on": "a"}}', TAGGED, 'json: cannot unmarshal string into Go struct field Inner.inner.on of type bool'],
])('refuses %s', (text, type, fault) => {
  expect(decodeGo(text, type)).toEqual({ fault });
});
