import { expect, test } from 'vitest';
import { policyOutcome } from '../testing/policy-outcome.js';

const authorizer = {
  user: 'alice',
  request: { group: '', resource: '', subresource: '', namespace: '', name: '' },
  rules: [],
};
const values = { object: { a: 1 }, oldObject: null, params: {}, request: { uid: 'u' }, namespaceObject: {} };

function outcomeOf(expression: string): { readonly type: unknown; readonly result: unknown; readonly cost: unknown } {
  const { compileError, programError, type, error, value, cost } = policyOutcome({
    expression: expression.replaceAll('pb.', 'google.protobuf.'),
    mutation: false,
    values,
    authorizer,
  });
  return { type, result: compileError?.split('\n')[0] ?? programError ?? error ?? value, cost };
}

const number = (v: string) => ({ t: 'double', v });
const text = (v: string) => ({ t: 'string', v });
const faultOf = (field: string, detail: string) =>
  `field type conversion error for google.protobuf.${field} value type: ${detail}`;

// The answers of upstream's modules.
test.each([
  ['pb.Int64Value{value: 3}', 'wrapper(int)', { t: 'int', v: '3' }, '40'],
  ['.pb.Int64Value{value: 3} + 1', 'int', { t: 'int', v: '4' }, '41'],
  ['pb.BoolValue{}', 'wrapper(bool)', { t: 'bool', v: false }, '40'],
  ['pb.FloatValue{value: 0.1}', 'wrapper(double)', number('0.10000000149011612'), '40'],
  ['pb.Int64Value{?value: optional.none()}', 'wrapper(int)', { t: 'int', v: '0' }, '41'],
  ['[pb.Int64Value{}, 2]', 'list(wrapper(int))', { t: 'list', v: ['0', '2'].map((v) => ({ t: 'int', v })) }, '50'],
  ['true ? pb.Int64Value{} : null', 'wrapper(int)', { t: 'int', v: '0' }, '40'],
  ['pb.Int64Value{} == null', 'bool', { t: 'bool', v: false }, '41'],
  ['type(pb.StringValue{})', 'type(wrapper(string))', { t: 'type', v: 'string' }, '41'],
  ['pb.Int32Value{value: 2147483648}', 'wrapper(int)', faultOf('Int32Value.value', 'integer overflow'), '40'],
  [
    'pb.UInt32Value{value: dyn(1)}',
    'wrapper(uint)',
    faultOf('UInt32Value.value', "unsupported type conversion from 'int' to uint32"),
    '40',
  ],
  [
    'pb.BytesValue{value: dyn({"a": 1})}',
    'wrapper(bytes)',
    faultOf('BytesValue.value', "type conversion error from map to '[]uint8'"),
    '40',
  ],
  ['pb.BytesValue{value: dyn([1u, 255u])}', 'wrapper(bytes)', { t: 'bytes', v: 'Af8=' }, '40'],
  ['pb.Struct{fields: {"a": 1}}.a', 'dyn', number('1'), '42'],
  ['pb.ListValue{values: [b"ab"]}[0]', 'dyn', text('YWI='), '42'],
  ['pb.ListValue{values: [9007199254740992]}[0]', 'dyn', text('9007199254740992'), '42'],
  ['pb.ListValue{values: [duration("1h1m1.5ms")]}[0]', 'dyn', text('3660.0015s'), '42'],
  [
    'pb.ListValue{values: [quantity("1")]}',
    'list(dyn)',
    faultOf('ListValue.values', "type conversion error from 'Quantity' to '*structpb.Value'"),
    '51',
  ],
  [
    'pb.ListValue{values: dyn(object)}',
    'list(dyn)',
    'unsupported field type for google.protobuf.ListValue.values: map(dyn, dyn)',
    '42',
  ],
  ['pb.Value{}', 'dyn', { t: 'null', v: null }, '40'],
  ['pb.Value{null_value: pb.NullValue.NULL_VALUE}', 'dyn', { t: 'null', v: null }, '40'],
  ['pb.Value{list_value: [1]}[0]', 'dyn', number('1'), '42'],
  ['pb.Duration{seconds: -9223372037}', 'google.protobuf.Duration', { t: 'duration', v: `-${2n ** 63n}ns` }, '40'],
  [
    'pb.Timestamp{seconds: 5, nanos: -1500000000}',
    'google.protobuf.Timestamp',
    { t: 'timestamp', v: '1970-01-01T00:00:03.5Z' },
    '40',
  ],
  ['string(pb.Timestamp{seconds: 253402300800})', 'string', text('10000-01-01T00:00:00Z'), '41'],
  ['pb.Empty{} == pb.Empty{}', 'bool', { t: 'bool', v: true }, '81'],
  ['dyn(pb.Empty{}).a', 'dyn', "no such field 'a'", '43'],
  ['dyn(pb.Empty{})[0]', 'dyn', 'no such overload', '43'],
  ['optional.ofNonZeroValue(pb.Empty{}).hasValue()', 'bool', { t: 'bool', v: false }, '42'],
  ['type(pb.Empty{}) == pb.Empty', 'bool', { t: 'bool', v: true }, '42'],
  ['pb.Int64Value', 'type(wrapper(int))', 'reference to undefined type: google.protobuf.Int64Value', undefined],
  ['pb.Any', 'type(google.protobuf.Any)', 'reference to undefined type: google.protobuf.Any', undefined],
  ['pb.NullValue.NULL_VALUE', 'int', { t: 'int', v: '0' }, '0'],
  ['duration{seconds: 1}', 'google.protobuf.Duration', "unknown type 'duration'", '40'],
  [
    'kubernetes.AdmissionRequest{name: "x"}',
    'kubernetes.AdmissionRequest',
    "unknown type 'kubernetes.AdmissionRequest'",
    '40',
  ],
  [
    'pb.Any{type_url: "x"}',
    'google.protobuf.Any',
    'unsupported conversion to ref.Val: (*dynamicpb.Message)type_url:"x"',
    '40',
  ],
])('%s', (expression, type, result, cost) => {
  expect(outcomeOf(expression)).toEqual({ type, result, cost });
});

test.each([
  ['pb.Int64Value{value: 1}.value', "type 'wrapper(int)' does not support field selection"],
  ['pb.Int64Value{value: null}', "expected type of field 'value' is 'int' but provided type is 'null'"],
  ['pb.Int64Value{other: 1}', "undefined field 'other'"],
  ['[pb.Int64Value{}, null]', "expected type 'wrapper(int)' but found 'null'"],
  ['pb.Empty{constructor: 1}', "undefined field 'constructor'"],
  ['pb.Int64Value{__proto__: 1}', "undefined field '__proto__'"],
  ['null_type{a: 1}', "unexpected failed resolution of 'google.protobuf.NullValue'"],
  ['map{a: 1}', "'map' is not a message type"],
  ['pb.NullValue', "undeclared reference to 'google' (in container '')"],
  ['pb.FieldMask{}', "undeclared reference to 'google.protobuf.FieldMask' (in container '')"],
])('%s does not compile', (expression, message) => {
  const { result } = outcomeOf(expression);
  expect(String(result).replace(/^ERROR: <input>:\d+:\d+: /, '')).toBe(message);
});
