import type { CelType } from '../types/cel-type.js';
import { STRING_TRAVERSAL } from '../values/traversal.js';
import { addAmounts, divideAmounts, wrapAmount } from './amount.js';
import type { CallEstimate, CallEstimator, CostedCall, CostedNode } from './costed-call.js';
import {
  type Estimate,
  fixed,
  LIST_CREATION,
  ONE,
  plus,
  REGEX_LENGTH,
  regexSearch,
  STRUCT_CREATION,
  scaled,
  times,
  traversal,
  ZERO,
} from './estimate.js';

/** The cost of an authorization check: a rule can afford two of them. */
const CHECK: CallEstimate = { cost: fixed(350_000) };
const NOMINAL: CallEstimate = { cost: ONE };
/**
 * The most values that an attribute of a device has.
 * Upstream: draCostEstimator of k8s.io/dynamic-resource-allocation/cel
 */
const ATTRIBUTE_SCAN: CallEstimate = { cost: { min: 0, max: 48 } };

/** Requirements for each unit of a selector, and the cost of each: a struct and a list of values. */
const REQUIREMENTS = 0.5;
const REQUIREMENT_COST = LIST_CREATION + STRUCT_CREATION;

/** Bytes of an address. */
const ADDRESS_SIZE: Estimate = { min: 4, max: 16 };
/** Most units of a format's regular expression, and of its name. */
const MAX_FORMAT_REGEX = 128;
const MAX_FORMAT = 64;

/** Functions that only read a field or make a small value. */
const NOMINAL_FUNCTIONS = [
  ...['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name', 'allowed', 'reason'],
  ...['error', 'errored', 'format.named', 'masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'],
  ...['isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast', 'sign', 'asInteger', 'isInteger'],
  ...['asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo', 'add', 'sub', 'major', 'minor', 'patch'],
  ...['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'],
];

const ESTIMATORS: ReadonlyMap<string, CallEstimator> = new Map([
  ...NOMINAL_FUNCTIONS.map((name) => [name, () => NOMINAL] as const),
  ['check', () => CHECK],
  ['includes', () => ATTRIBUTE_SCAN],
  ...forAll(['fieldSelector', 'labelSelector'], selector),
  ...forAll(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], scan),
  ...forAll(['url', 'jsonpatch.escapeKey'], (call) =>
    sameSize(call, call.args.length === 1 ? call.args[0] : undefined),
  ),
  ...forAll(['lowerAscii', 'upperAscii', 'substring', 'trim'], (call) => sameSize(call, call.target)),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ...forAll(['find', 'findAll'], find),
  ...forAll(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], parse),
  ['ip', (call) => (call.overload === 'cidr_ip' ? NOMINAL : parse(call))],
  ['ip.isCanonical', (call) => withFirst(call, (size) => scaled(size, 2 * STRING_TRAVERSAL))],
  ['containsIP', containsAddress],
  ['containsCIDR', containsNetwork],
  ['validate', (call) => withFirst(call, (size) => scaled(traversal(size), MAX_FORMAT_REGEX * REGEX_LENGTH))],
  ['_==_', equality],
]);

/**
 * Estimates the cost of a call of a Kubernetes function; undefined for any other.
 *
 * Upstream: EstimateCallCost in k8s.io/apiserver/pkg/cel/library/cost.go
 */
export function estimateKubernetesCall(call: CostedCall): CallEstimate | undefined {
  return ESTIMATORS.get(call.name)?.(call);
}

function forAll(names: readonly string[], estimator: CallEstimator): readonly (readonly [string, CallEstimator])[] {
  return names.map((name) => [name, estimator]);
}

function withFirst(call: CostedCall, cost: (size: Estimate) => Estimate): CallEstimate | undefined {
  const [first] = call.args;
  return first && { cost: cost(call.sizeOf(first)) };
}

/** Reads the first argument once. */
function parse(call: CostedCall): CallEstimate | undefined {
  return withFirst(call, traversal);
}

/** Reads a string once and makes one of its size. */
function sameSize(call: CostedCall, node: CostedNode | undefined): CallEstimate | undefined {
  if (node === undefined) return undefined;
  const size = call.sizeOf(node);
  return { cost: traversal(size), size };
}

function selector(call: CostedCall): CallEstimate | undefined {
  if (call.args.length !== 1) return undefined;
  return withFirst(call, (size) => {
    const requirements = scaled(scaled(size, REQUIREMENTS), REQUIREMENT_COST);
    return plus(plus(fixed(LIST_CREATION), traversal(size)), requirements);
  });
}

/** The elements of a list, by its path and its type; undefined for a string. */
function elementsOf(list: CostedNode): CostedNode | undefined {
  const [type] = list.type.parameters;
  return type && { type, path: list.path?.toItems(), expression: undefined, size: undefined };
}

/** Compares each element of a list, or reads a string. */
function scan(call: CostedCall): CallEstimate | undefined {
  const { target } = call;
  if (target === undefined) return undefined;
  const size = call.sizeOf(target);
  const element = elementsOf(target);
  if (element === undefined) return { cost: traversal(size) };
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  return { cost: times(size, isText ? plus(ONE, traversal(call.sizeOf(element))) : ONE) };
}

function replace(call: CostedCall): CallEstimate | undefined {
  const [from, to] = call.args;
  if (call.target === undefined || from === undefined || to === undefined) return undefined;
  const size = call.sizeOf(call.target);
  return {
    cost: scaled(size, 2 * STRING_TRAVERSAL),
    size: sizeOfReplaced(size, call.sizeOf(from), call.sizeOf(to)),
  };
}

/** The size of a string with replaced parts: each bound comes from the parts and replacements that reach it. */
function sizeOfReplaced(text: Estimate, from: Estimate, to: Estimate): Estimate {
  const most =
    from.min === 0
      ? { count: addAmounts(text.max, 1), kept: text.max }
      : to.max <= from.min
        ? { count: 0, kept: text.max }
        : { count: divideAmounts(text.max, from.min), kept: 0 };
  const least =
    from.max === 0
      ? { count: addAmounts(text.min, 1), kept: text.min }
      : from.max <= to.min
        ? { count: 0, kept: text.min }
        : { count: divideAmounts(text.min, from.max), kept: 0 };
  const count = { min: least.count, max: most.count };
  return plus(times(count, to), { min: least.kept, max: most.kept });
}

/** The list has an element for each unit at most, or as many as a literal limit. */
function split(call: CostedCall): CallEstimate | undefined {
  if (call.target === undefined) return undefined;
  const size = call.sizeOf(call.target);
  const limit = call.args[1]?.expression;
  const value = limit?.kind === 'literal' ? limit.value : undefined;
  const isInt = typeof value === 'number' || typeof value === 'bigint';
  return {
    cost: scaled(size, 2 * STRING_TRAVERSAL),
    size: { min: 0, max: isInt ? wrapAmount(BigInt(value)) : size.max },
  };
}

function join(call: CostedCall): CallEstimate | undefined {
  if (call.target === undefined) return undefined;
  const elements = call.sizeOf(call.target);
  const element = elementsOf(call.target);
  let size = element === undefined ? ZERO : times(elements, call.sizeOf(element));
  const [separator] = call.args;
  if (separator !== undefined) {
    const separators = { min: lessOne(elements.min), max: lessOne(elements.max) };
    size = plus(size, times(call.sizeOf(separator), separators));
  }
  return { cost: traversal(size), size };
}

function lessOne(amount: Estimate['min']): Estimate['min'] {
  return amount === 0 ? 0 : wrapAmount(BigInt(amount) - 1n);
}

function find(call: CostedCall): CallEstimate | undefined {
  const [pattern] = call.args;
  if (call.target === undefined || pattern === undefined) return undefined;
  const size = call.sizeOf(call.target);
  return { cost: regexSearch(size, call.sizeOf(pattern)), size: { min: 0, max: size.max } };
}

/** The cost of comparing two addresses. */
const COMPARISON = traversal(plus(ADDRESS_SIZE, ADDRESS_SIZE));

function containsAddress(call: CostedCall): CallEstimate | undefined {
  return containment(call, COMPARISON, 'cidr_contains_ip_string');
}

/** Masks the network, and compares the lengths of the prefixes, too. */
function containsNetwork(call: CostedCall): CallEstimate | undefined {
  return containment(call, plus(plus(COMPARISON, traversal(ADDRESS_SIZE)), ONE), 'cidr_contains_cidr_string');
}

/** One overload parses the argument. */
function containment(call: CostedCall, cost: Estimate, parsing: string): CallEstimate | undefined {
  return withFirst(call, (size) => (call.overload === parsing ? plus(cost, traversal(size)) : cost));
}

/** Types of small values. */
const SMALL: ReadonlySet<string> = new Set([
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

function equality(call: CostedCall): CallEstimate | undefined {
  const [left, right] = call.args;
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  const { kind, name }: CelType = left.type;
  if (kind === 'opaque') return name === 'net.IP' || name === 'net.CIDR' ? NOMINAL : undefined;
  if (kind !== 'struct') return undefined;
  if (SMALL.has(name)) return NOMINAL;
  if (name === 'kubernetes.NamedFormat') return { cost: traversal({ min: 1, max: MAX_FORMAT }) };
  if (name !== 'kubernetes.URL') return undefined;
  return { cost: traversal({ min: 1, max: right.size?.max ?? 1 }) };
}
