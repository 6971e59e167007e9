import { type ExpressionTemplates, FORMATTED } from './formatted-templates.ts';
import { FURTHER } from './further-templates.ts';
import { ODD } from './odd-templates.ts';

/** Templates of a type with at least one without parts. */
export interface RandomTemplates extends ExpressionTemplates {
  readonly atoms: readonly [string, ...string[]];
}

/** Calls that give a value of whatever type T is. */
function forAll(type: string, list: string, optional?: string): string[] {
  const calls = [
    `({bool} ? {${type}} : {${type}})`,
    `{${list}}[{index}]`,
    `[{${type}}].map($x, {${type}|x:${type}})[0]`,
    `{${type}}`,
  ];
  return optional === undefined ? calls : [...calls, `{${optional}}.orValue({${type}})`, `{${optional}}.value()`];
}

/** Calls that give a list whose elements have a type. */
function forLists(list: string, element: string): string[] {
  return [
    `[{${element}}, {${element}}]`,
    `[{${element}}, {${element}}, {${element}}]`,
    `({${list}} + {${list}})`,
    `{${list}}.filter($x, {bool|x:${element}})`,
    `{${list}}.map($x, {${element}|x:${element}})`,
    `{${list}}.map($x, {bool|x:${element}}, {${element}|x:${element}})`,
    `{${list}}.transformList($x, $y, {${element}|x:int,y:${element}})`,
    `{${list}}.transformList($x, $y, {bool|x:int,y:${element}}, {${element}|x:int,y:${element}})`,
    `{${list}}.slice({index}, {index})`,
    `{${list}}.distinct()`,
    `{${list}}.reverse()`,
    `{${list}}.sort()`,
    `{${list}}.sortBy($x, {${element}|x:${element}})`,
    `{${list}}.sortBy($x, {int|x:${element}})`,
    `[{${list}}, {${list}}].flatten()`,
    `({bool} ? {${list}} : {${list}})`,
    `[?optional.of({${element}}), {${element}}]`,
    `[{${list}}].map($x, {${list}|x:${list}})[0]`,
  ];
}

/** Calls of bool about a list. */
function testsOf(list: string, element: string): string[] {
  return [
    `{${list}}.all($x, {bool|x:${element}})`,
    `{${list}}.exists($x, {bool|x:${element}})`,
    `{${list}}.exists_one($x, {bool|x:${element}})`,
    `{${list}}.existsOne($x, $y, {bool|x:int,y:${element}})`,
    `{${list}}.all($x, $y, {bool|x:int,y:${element}})`,
    `{${list}}.exists($x, $y, {bool|x:int,y:${element}})`,
    `({${element}} in {${list}})`,
    `sets.contains({${list}}, {${list}})`,
    `sets.equivalent({${list}}, {${list}})`,
    `sets.intersects({${list}}, {${list}})`,
    `{${list}}.isSorted()`,
    `({${list}} == {${list}})`,
  ];
}

const COMPARED = ['int', 'uint', 'double', 'string', 'bytes', 'bool', 'duration', 'timestamp', 'quantity', 'semver'];
const EQUAL = [...COMPARED, 'ip', 'cidr', 'url', 'map', 'optionalInt', 'any', 'type'];

/** The most common expressions of the Kubernetes environment, by the name of their type here. */
const COMMON: Readonly<Record<string, ExpressionTemplates>> = {
  ...FORMATTED,
  bool: {
    atoms: ['true', 'false'],
    calls: [
      '(!{bool})',
      '({bool} && {bool})',
      '({bool} || {bool})',
      ...['<', '<=', '>', '>='].flatMap((sign) => [
        ...['int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'bool'].map(
          (type) => `({${type}} ${sign} {${type}})`,
        ),
        `({int} ${sign} {double})`,
        `({uint} ${sign} {int})`,
        `(dyn({any}) ${sign} {int})`,
      ]),
      ...EQUAL.flatMap((type) => [`({${type}} == {${type}})`, `({${type}} != {${type}})`]),
      '(dyn({any}) == {any})',
      ...forAll('bool', 'bools'),
      ...testsOf('ints', 'int'),
      ...testsOf('strings', 'string'),
      ...testsOf('anys', 'any'),
      '({string} in {map})',
      '{map}.all($x, {bool|x:string})',
      '{map}.exists($x, $y, {bool|x:string,y:int})',
      '{map}.all($x, $y, {bool|x:string,y:int})',
      '{map}.exists_one($x, {bool|x:string})',
      'has({map}.a)',
      'has({map}.missing)',
      'bool({string})',
      'type({any}) == {type}',
      ...['startsWith', 'endsWith', 'contains'].map((name) => `{string}.${name}({string})`),
      '{string}.matches({pattern})',
      '{optionalInt}.hasValue()',
      '{optionalString}.hasValue()',
      'isURL({string})',
      'isURL({urlText})',
      'isIP({string})',
      'isIP({ipText})',
      'isCIDR({string})',
      'isCIDR({cidrText})',
      'isQuantity({string})',
      'isQuantity({quantityText})',
      'isSemver({semverText})',
      'isSemver({semverText}, {bool})',
      'isSemver({string})',
      'ip.isCanonical({ipText})',
      ...['isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'].map(
        (name) => `{ip}.${name}()`,
      ),
      '{cidr}.containsIP({ip})',
      '{cidr}.containsIP({ipText})',
      '{cidr}.containsCIDR({cidr})',
      '{cidr}.containsCIDR({cidrText})',
      '{quantity}.isInteger()',
      '{quantity}.isGreaterThan({quantity})',
      '{quantity}.isLessThan({quantity})',
      '{semver}.isGreaterThan({semver})',
      '{semver}.isLessThan({semver})',
      '{formatResult}.hasValue()',
    ],
  },
  // Upstream makes a range of any length in memory.
  small: { atoms: ['0', '1', '3', '-1', 'size([1, 2])'], calls: [] },
  index: { atoms: ['0', '0', '0', '1', '1', '2', '-1', '3'], calls: ['{int}'] },
  int: {
    atoms: ['0', '1', '2', '-1', '7', '0x1F', '9223372036854775807', '-9223372036854775808', '1000000', '42', '-3'],
    calls: [
      ...['+', '-', '*', '/', '%'].map((sign) => `({int} ${sign} {int})`),
      '(-{int})',
      'size({string})',
      'size({bytes})',
      '{strings}.size()',
      'size({ints})',
      'size({map})',
      'int({string})',
      'int({double})',
      'int({uint})',
      'int({timestamp})',
      ...forAll('int', 'ints', 'optionalInt'),
      '{map}[{string}]',
      '{map}.a',
      ...['sum', 'min', 'max'].map((name) => `{ints}.${name}()`),
      '{ints}.indexOf({int})',
      '{ints}.lastIndexOf({int})',
      '{strings}.indexOf({string})',
      '{string}.indexOf({string})',
      '{string}.indexOf({string}, {index})',
      '{string}.lastIndexOf({string})',
      '{string}.lastIndexOf({string}, {index})',
      ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear', 'getHours'].flatMap(
        (name) => [`{timestamp}.${name}()`, `{timestamp}.${name}({zone})`],
      ),
      ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'].map((name) => `{duration}.${name}()`),
      '{quantity}.asInteger()',
      '{quantity}.sign()',
      '{quantity}.compareTo({quantity})',
      '{semver}.compareTo({semver})',
      ...['major', 'minor', 'patch'].map((name) => `{semver}.${name}()`),
      '{ip}.family()',
      '{cidr}.prefixLength()',
      '{formatResult}.value().size()',
    ],
  },
  uint: {
    atoms: ['0u', '1u', '18446744073709551615u', '7u'],
    calls: [
      ...['+', '-', '*', '/', '%'].map((sign) => `({uint} ${sign} {uint})`),
      'uint({int})',
      'uint({double})',
      'uint({string})',
      '[{uint}, {uint}].max()',
      '[{uint}, {uint}].sum()',
    ],
  },
  double: {
    atoms: ['0.0', '1.5', '-2.25', '1e300', '-0.0', '1e-7', '3.0', '100000000000000000000.0', '0.1'],
    calls: [
      ...['+', '-', '*', '/'].map((sign) => `({double} ${sign} {double})`),
      '(-{double})',
      'double({int})',
      'double({uint})',
      'double({string})',
      '{quantity}.asApproximateFloat()',
      '[{double}, {double}].sum()',
      '[{double}, {double}].min()',
      ...forAll('double', 'doubles'),
    ],
  },
  doubles: { atoms: ['[1.5, -0.0]', '[0.1, 0.2, 0.3]'], calls: forLists('doubles', 'double') },
  bools: { atoms: ['[true, false]'], calls: ['[{bool}, {bool}]', '{ints}.map($x, {bool|x:int})'] },
  string: {
    atoms: [
      '"a"',
      '""',
      '"abc"',
      '"héllo"',
      '"a,b,c"',
      "'1'",
      '"-12"',
      '"😀x"',
      '"A B"',
      '"true"',
      '"1.5"',
      'r"\\d"',
      '"\\u00e9\\n"',
      '"1h"',
      '"  pad\\t"',
      '"a"',
      '"b"',
    ],
    calls: [
      '({string} + {string})',
      ...['int', 'uint', 'double', 'bool', 'bytes', 'duration', 'timestamp', 'ip', 'cidr', 'quantity', 'string'].map(
        (type) => `string({${type}})`,
      ),
      ...forAll('string', 'strings', 'optionalString'),
      '{string}.charAt({index})',
      ...['lowerAscii', 'upperAscii', 'trim', 'reverse'].map((name) => `{string}.${name}()`),
      '{string}.replace({string}, {string})',
      '{string}.replace({string}, {string}, {index})',
      '{string}.substring({index})',
      '{string}.substring({index}, {index})',
      '{strings}.join()',
      '{strings}.join({string})',
      'strings.quote({string})',
      '"%s %s".format([{any}, {any}])',
      '"%d|%5.2f".format([{int}, {double}])',
      '"%x %X %o %b".format([{int}, {string}, {int}, {int}])',
      '"%e %.3e %%".format([{double}, {double}])',
      '"%s".format([{anys}])',
      '"%s".format([{map}])',
      '"%d %s".format([{any}, {any}])',
      '"%b %f".format([{any}, {any}])',
      '{string}.format([{any}, {any}])',
      '{string}.find({pattern})',
      '{strings}.min()',
      '{strings}.max()',
      ...['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath'].map((name) => `{url}.${name}()`),
    ],
  },
  pattern: {
    atoms: [
      '"a+"',
      '"^[a-z]*$"',
      '"(b|c)"',
      '"\\\\d"',
      '"."',
      '"("',
      '"é"',
      '""',
      '"(?i)A"',
      '"[[:alpha:]]+"',
      '"x{2,3}"',
    ],
    calls: ['{string}'],
  },
  bytes: { atoms: ['b"a"', 'b""', 'b"\\xff"', "b'é'"], calls: ['bytes({string})', '({bytes} + {bytes})'] },
  duration: {
    atoms: ['duration("1h")', 'duration("-1.5s")', 'duration("0s")', 'duration("1ms")', 'duration("876000h")'],
    calls: [
      'duration({string})',
      '({duration} + {duration})',
      '({duration} - {duration})',
      '({timestamp} - {timestamp})',
      '[{duration}, {duration}].sum()',
      '[{duration}, {duration}].max()',
    ],
  },
  timestamp: {
    atoms: [
      'timestamp("2024-02-29T12:34:56.789Z")',
      'timestamp("1970-01-01T00:00:00Z")',
      'timestamp("2023-07-01T23:00:00+05:30")',
      'timestamp("0001-01-01T00:00:00Z")',
      'timestamp(1700000000)',
    ],
    calls: ['({timestamp} + {duration})', '({timestamp} - {duration})', 'timestamp({int})', 'timestamp({string})'],
  },
  zone: {
    atoms: ['"UTC"', '"America/New_York"', '"+05:30"', '"-02:00"', '"Asia/Kolkata"', '"Nowhere"', '"05:00"', '""'],
    calls: [],
  },
  ints: {
    atoms: ['[1, 2, 3]', '[3, 1, 2, 1]', '[0]', '[-1, 5]'],
    calls: [
      ...forLists('ints', 'int'),
      'lists.range({small})',
      '{strings}.map($x, size($x))',
      '{strings}.transformList($x, $y, $x)',
      '{map}.transformList($x, $y, $y)',
      '{map}.map($x, {int|x:string})',
    ],
  },
  strings: {
    atoms: ['["a", "b"]', '["b", "a", "c", "a"]', '[""]'],
    calls: [
      ...forLists('strings', 'string'),
      '{string}.split({string})',
      '{string}.split({string}, {index})',
      '{string}.findAll({pattern})',
      '{string}.findAll({pattern}, {index})',
      '{map}.map($x, $x)',
      '{ints}.map($x, string($x))',
      '{map}.transformList($x, $y, $x)',
      '{url}.getQuery()["q"]',
    ],
  },
  anys: {
    atoms: ['[]', '[1, "a", 1.5]', '[null, true]', '[[1], [2, [3]]]', '[1, 1u, 1.0]'],
    calls: [
      '[{any}, {any}]',
      '[{any}]',
      '[{anys}, {ints}].flatten()',
      '{anys}.flatten({index})',
      '{anys}.map($x, {any|x:any})',
      '{anys}.filter($x, {bool|x:any})',
      '{anys}.distinct()',
      '{anys}.sort()',
      '({anys} + {anys})',
      '{ints}.map($x, {any|x:int})',
      '{strings}.map($x, {any|x:string})',
      '[{map}, {map}]',
    ],
  },
  map: {
    atoms: ['{"a": 1}', '{"a": 1, "b": 2}', '{"": -1}', '{"a": 5, "missing": 0}'],
    calls: [
      '{{string}: {int}}',
      '{{string}: {int}, {string}: {int}}',
      '{?"a": {optionalInt}, "b": {int}}',
      '{map}.transformMap($x, $y, {int|x:string,y:int})',
      '{map}.transformMap($x, $y, {bool|x:string,y:int}, {int|x:string,y:int})',
      '{map}.transformMapEntry($x, $y, {{string|x:string,y:int}: {int|x:string,y:int}})',
      '{strings}.transformMapEntry($x, $y, {$y: $x})',
      '({bool} ? {map} : {map})',
      '[{map}].map($x, {map|x:map})[0]',
    ],
  },
  optionalInt: {
    atoms: ['optional.none()', 'optional.of(1)', 'optional.ofNonZeroValue(0)'],
    calls: [
      'optional.of({int})',
      'optional.ofNonZeroValue({int})',
      '{map}[?{string}]',
      '{map}.?a',
      '{ints}[?{index}]',
      '{optionalInt}.or({optionalInt})',
      '{optionalInt}.optMap($x, {int|x:int})',
      '{optionalInt}.optFlatMap($x, {optionalInt|x:int})',
      '{optionalString}.optMap($x, {int|x:string})',
      '({bool} ? {optionalInt} : {optionalInt})',
    ],
  },
  optionalString: {
    atoms: ['optional.of("a")', 'optional.ofNonZeroValue("")', 'optional.none()'],
    calls: [
      'optional.of({string})',
      'optional.ofNonZeroValue({string})',
      '{strings}[?{index}]',
      '{optionalInt}.optMap($x, {string|x:int})',
      '{optionalString}.or({optionalString})',
      '{optionalString}.optFlatMap($x, {optionalString|x:string})',
    ],
  },
  type: {
    atoms: ['int', 'string', 'double', 'list', 'map', 'null_type', 'bool', 'uint', 'bytes', 'optional_type', 'type'],
    calls: ['type({any})', 'type({type})'],
  },
  any: { atoms: ['null'], calls: [] },
};

const ALL = [COMMON, FURTHER, ODD];

/** Expressions of the Kubernetes environment, by the name of their type here. */
export const EXPRESSIONS: Readonly<Record<string, RandomTemplates>> = Object.fromEntries(
  [...new Set(ALL.flatMap((templates) => Object.keys(templates)))].map((type) => [type, templatesOf(type)]),
);

function templatesOf(type: string): RandomTemplates {
  const all = ALL.flatMap((templates) => templates[type] ?? []);
  const [atom = 'null', ...atoms] = all.flatMap((one) => one.atoms);
  return { atoms: [atom, ...atoms], calls: all.flatMap((one) => one.calls) };
}
