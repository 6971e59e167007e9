import { expect, test } from 'vitest';
import { ruleOutcome } from '../testing/rule-outcome.js';

const ANY = { 'x-kubernetes-preserve-unknown-fields': true };
const schema = {
  type: 'object',
  properties: {
    e: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { b: { type: 'integer' } } },
    o: {
      type: 'object',
      properties: {
        p: ANY,
        q: { type: 'array', items: ANY },
        m: { type: 'object', additionalProperties: ANY },
        t: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
      },
    },
  },
};
const NULL = { t: 'null', v: null };
const string = (v: string) => ({ t: 'string', v });
const self = {
  e: { b: 1, x: 2, metadata: { name: 'n', labels: {} } },
  o: { p: 'x', q: [1, 'a'], m: { k: 1 }, t: [[1], 2] },
};

test.each<[string, object]>([
  ['"%s".format([dyn(self.o)])', { error: 'error during formatting: no formatting function for unknown' }],
  ['dyn(self.o).p', { value: { t: 'unknown', v: 'x' } }],
  ['dyn(self.o).q[0] == 1', { value: { t: 'bool', v: true } }],
  ['dyn(self.o).q[0] == 1.0', { value: { t: 'bool', v: false } }],
  ['dyn(self.o).m.k == 1', { value: { t: 'bool', v: true } }],
  ['dyn(self.o).m == dyn(oldSelf.o).m', { value: { t: 'bool', v: true } }],
  ['duration(dyn(self.o).p)', { error: 'no such overload: duration(unknown)' }],
  ['[1][dyn(self.o).p]', { error: 'invalid qualifier type: *common.unknownPreserved' }],
  ['[1][dyn(self.o.q)]', { compileError: expect.stringContaining("undefined field 'q'") }],
  ['[1][dyn(self.o)]', { error: 'invalid qualifier type: *common.unstructuredMap' }],
  ['[1][dyn(self.o.t)]', { error: 'invalid qualifier type: *common.unstructuredList' }],
  [
    'type(dyn(self.o).p) == string',
    {
      error: "type conversion to 'type' not supported for values preserved by x-kubernetes-preserve-unknown-fields",
    },
  ],
  [
    'self.o.t[1][0] == 1',
    { error: 'invalid data, expected an array for the provided schema with type=array', cost: '6' },
  ],
])('%s, as in upstream', (expression, expected) => {
  const oldSelf = structuredClone(self);
  expect(ruleOutcome({ schema, expression, self, oldSelf })).toMatchObject(expected);
});

// Upstream has null where a member without a schema would have its key.
test.each<[string, object]>([
  ['dyn(self.e).map(k, k)', { value: { t: 'list', v: [string('b'), string('metadata'), NULL] } }],
  ['dyn(self.e).size()', { value: { t: 'int', v: '3' } }],
  ['dyn(self.e).all(k, true)', { value: { t: 'bool', v: true }, cost: '13' }],
  ['dyn(self.e).transformMap(k, v, v)', { error: 'no such overload' }],
  ['dyn(self.e).map(k, dyn(self.e)[k])', { error: 'invalid qualifier type: types.Null' }],
  [
    '"%s".format([dyn(self.e)])',
    { error: 'internal error: runtime error: invalid memory address or nil pointer dereference' },
  ],
])('%s of an object with members without a schema, as in upstream', (expression, expected) => {
  expect(ruleOutcome({ schema, expression, self })).toMatchObject(expected);
});
