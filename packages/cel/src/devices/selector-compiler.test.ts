import { expect, test } from 'vitest';
import { SelectorCompiler } from './selector-compiler.js';

const compiler = new SelectorCompiler({ consumableCapacity: true, listTypeAttributes: false });

/** The most that an expression costs, or its error, as recorded from upstream's compiler. */
function compile(expression: string, by = compiler): string {
  const compiled = by.compile(expression);
  if ('error' in compiled) return compiled.isInternal ? `internal: ${compiled.error}` : compiled.error;
  return String(compiled.maxCost);
}

test.each([
  ['true', '0'],
  ['device.driver == "x"', '3'],
  ['device.attributes["dra.example.com"].name', '4'],
  ['device.attributes["dra.example.com"].v.isGreaterThan(semver("1.0.0"))', '6'],
  ['device.attributes["dra.example.com"].all(k, k.startsWith("a"))', '164'],
  ['device.attributes["dra.example.com"].all(k, v, k.startsWith("a"))', '164'],
  ['device.attributes.all(d, device.attributes[d].all(i, device.attributes[d][i].matches("a*b")))', '16643'],
  ['device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a.matches(b))))', '3840195'],
  ['device.attributes["dra.example.com"].name.split(",").exists(x, x == "a")', '402'],
  ['device.attributes["dra.example.com"].name in device.attributes["dra.example.com"].other', '72'],
  ['device.driver.matches("[a-z]+")', '16'],
  ['device.driver + device.driver == "a"', '18'],
  ['device.capacity["dra.example.com"].mem.compareTo(quantity("1Gi")) >= 0', '7'],
  [
    'device.capacity["dra.example.com"].all(k, device.capacity["dra.example.com"][k].isGreaterThan(quantity("1")))',
    '324',
  ],
  ['device.allowMultipleAllocations == true', '3'],
  ['device.allowMultipleAllocations ? true : device.attributes["dra.example.com"].b', '6'],
  ['cel.bind(dra, device.attributes["dra.example.com"], dra.oneBool && dra.anotherBool)', '17'],
  ['cel.bind(a, "x", cel.bind(b, "y", a + b == "xy"))', '24'],
  ['cel.bind(a, device.attributes["dra.example.com"], a.all(k, a[k] == "q"))', '239'],
  ['cel.bind(c, device.capacity, c.all(k, c[k].all(i, c[k][i].isInteger())))', '9454'],
  ['cel.bind(c, device.capacity.a, c.all(k, c[k].isInteger()))', '18446744073709551615'],
  ['kubernetes.DRADevice{driver: "a"} == device', '41'],
  ['device.attributes == device.attributes', '8'],
  ['device.?driver.orValue("") == "a"', '4'],
  ['cel.bind(cel, 1, cel == 1)', '12'],
])('%s costs %s at most', (expression, cost) => {
  expect(compile(expression)).toBe(cost);
});

test.each([
  [
    '',
    "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['1', 'must evaluate to bool or the unknown type, not int'],
  ['device', 'must evaluate to bool or the unknown type, not kubernetes.DRADevice'],
  [
    'device.attributes["dra.example.com"]',
    'must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)',
  ],
  ['dyn(true)', 'must evaluate to bool or the unknown type, not dyn'],
  ['device.nope', "compilation failed: ERROR: <input>:1:7: undefined field 'nope'\n | device.nope\n | ......^"],
  [
    'device.driver == 1',
    "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'\n | device.driver == 1\n | ..............^",
  ],
  [
    'device.attributes["dra.example.com"].ids.exists(id, id == 1)',
    'compilation failed: ERROR: <input>:1:37: expression of type \'any\' cannot be range of a comprehension (must be list, map, or dynamic)\n | device.attributes["dra.example.com"].ids.exists(id, id == 1)\n | ....................................^',
  ],
  [
    'cel.bind(1, 2, true)',
    'compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple identifiers\n | cel.bind(1, 2, true)\n | .........^',
  ],
  ['cel.bind(a, 1, a)', 'must evaluate to bool or the unknown type, not int'],
  [
    'cel.bind(a, 2)',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(a, 2)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(a, 2)\n | ........^\nERROR: <input>:1:10: undeclared reference to 'a' (in container '')\n | cel.bind(a, 2)\n | .........^",
  ],
  [
    'x.bind(a, 1, true)',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x.bind(a, 1, true)\n | ^\nERROR: <input>:1:7: undeclared reference to 'bind' (in container '')\n | x.bind(a, 1, true)\n | ......^\nERROR: <input>:1:8: undeclared reference to 'a' (in container '')\n | x.bind(a, 1, true)\n | .......^",
  ],
  [
    'cel.bind(a, 1, true',
    "compilation failed: ERROR: <input>:1:20: Syntax error: missing ')' at '<EOF>'\n | cel.bind(a, 1, true\n | ...................^",
  ],
  [
    'device.attributes["dra.example.com"].list.includes(1)',
    "compilation failed: ERROR: <input>:1:51: undeclared reference to 'includes' (in container '')\n | device.attributes[\"dra.example.com\"].list.includes(1)\n | ..................................................^",
  ],
  [
    'device["driver"] == "a"',
    'compilation failed: ERROR: <input>:1:7: found no matching overload for \'_[_]\' applied to \'(kubernetes.DRADevice, string)\'\n | device["driver"] == "a"\n | ......^',
  ],
  [
    'self == 1',
    "compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')\n | self == 1\n | ^",
  ],
  ['int("x") == 1', "internal: program instantiation failed: type conversion error from 'string' to 'int'"],
])('%s is wrong', (expression, error) => {
  expect(compile(expression)).toBe(error);
});

const NAMES = 'device.attributes["d"].names';

test.each([
  ['device.allowMultipleAllocations == true', '3'],
  [`${NAMES}.exists(n, n == "a")`, '389'],
  [`${NAMES}.includes("a")`, '52'],
  [`"a" in ${NAMES}`, '68'],
  [`${NAMES}[0]`, '5'],
  ['device.attributes.all(d, device.attributes[d].all(i, device.attributes[d][i].matches("a*b")))', '16643'],
  [`${NAMES}.map(n, n).size() == 1`, '849'],
  ['dyn(device.driver)', '3'],
])('with lists as attributes, %s: %s', (expression, expected) => {
  const both = new SelectorCompiler({ consumableCapacity: true, listTypeAttributes: true });
  expect(compile(expression, both)).toBe(expected);
});

test('without its feature, a device has no allowMultipleAllocations', () => {
  const neither = new SelectorCompiler({ consumableCapacity: false, listTypeAttributes: false });
  expect([
    compile('device.driver == "x"', neither),
    compile('kubernetes.DRADevice{driver: "a"} == device', neither),
    compile('device.allowMultipleAllocations == true', neither),
  ]).toEqual(['3', '41', expect.stringContaining("undefined field 'allowMultipleAllocations'")]);
});
