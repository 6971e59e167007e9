import { aggregateFieldErrors, type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import * as rules from '@apiserver/apimachinery/validation';
import { formatCIDR, formatIPAddress, parseCIDR } from '@apiserver/apimachinery/values';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { mutated } from './mutated-text.ts';
import { describeUpstream } from './upstream-program.ts';

interface FormatCase {
  readonly rule: string;
  readonly text: string;
}

const PATH = FieldPath.of('p');

function messages(errors: readonly FieldError[]): readonly string[] {
  return errors.map((error) => aggregateFieldErrors([error]));
}

/** The faults of a text, by the name of the rule; of a network its canonical forms. */
const RULES: Readonly<Record<string, (text: string) => readonly string[]>> = {
  annotation: (text) => messages(rules.validateAnnotations({ [text]: '' }, PATH)),
  caselessSubdomain: rules.isDNS1123SubdomainCaseless,
  configMapKey: rules.isConfigMapKey,
  dns1035Label: rules.isDNS1035Label,
  dns1035LabelPrefix: (text) => rules.nameIsDNS1035Label(text, true),
  environmentVariable: rules.isRelaxedEnvVarName,
  finalizer: (text) => messages(rules.validateFinalizerName(text, PATH)),
  header: rules.isHTTPHeaderName,
  label: rules.isDNS1123Label,
  labels: (text) => messages(rules.validateLabels({ [text]: text }, PATH)),
  labelValue: rules.isValidLabelValue,
  network: (text) => {
    const cidr = parseCIDR(text);
    return cidr === undefined ? [] : [formatIPAddress(cidr.address.bytes), formatCIDR(cidr)];
  },
  percent: rules.isValidPercent,
  portName: rules.isValidPortName,
  prefixedPath: (text) => messages(rules.validateDomainPrefixedPath(text, PATH)),
  qualifiedName: rules.isQualifiedName,
  segment: (text) => rules.validatePathSegmentName(text),
  segmentPrefix: (text) => rules.validatePathSegmentName(text, true),
  subdomain: rules.isDNS1123Subdomain,
  subdomainPrefix: (text) => rules.nameIsDNSSubdomain(text, true),
  underscoreSubdomain: rules.isDNS1123SubdomainWithUnderscore,
  wildcardSubdomain: rules.isWildcardDNS1123Subdomain,
};

const TEXTS = [
  ...['a', 'my.name', 'x-y', 'A9', '1', 'kubernetes.io/name', 'example.com/a/b', 'my_name', 'FOO_BAR', '*.example.com'],
  ...['X-Header', '10%', 'http', 'a'.repeat(63), 'b'.repeat(253), `${'c'.repeat(250)}/d`, '..', '', 'orphan', 'İ/a'],
] as const;
const IPV4_NUMBERS = ['0', '1', '10', '255', '256', '01', '001', '', '-1', '0x1'] as const;
const IPV6_NUMBERS = ['0', '1', 'ffff', 'FFFF', 'db8', '2001', '0001', '00001', '', 'g'] as const;
const PREFIX_LENGTHS = [
  ...['0', '8', '24', '32', '33', '64', '90', '96', '120', '128'],
  ...['129', '', '-1', '+8', '08'],
] as const;

/** The text of a network; most of them have faults or odd forms. */
function randomNetwork(random: Random): string {
  const numbers = (all: readonly [string, ...string[]], count: number, separator: string) => {
    const sound = all.slice(0, 4) as [string, ...string[]];
    return Array.from({ length: count }, () => random.of(random.chance(0.8) ? sound : all)).join(separator);
  };
  const v4 = () => numbers(IPV4_NUMBERS, random.chance(0.9) ? 4 : 3, '.');
  const v6 = () => {
    const whole = numbers(IPV6_NUMBERS, 8, ':').split(':');
    const [from, to] = [random.below(9), random.below(9)].sort((a, b) => a - b);
    return random.chance(0.5) ? whole.join(':') : `${whole.slice(0, from).join(':')}::${whole.slice(to).join(':')}`;
  };
  const address = random.of([v4, v6, () => `::ffff:${v4()}`, () => `::${v4()}`, () => `64:ff9b::${v4()}`])();
  return `${address}${random.chance(0.95) ? '/' : ''}${random.of(PREFIX_LENGTHS as readonly [string, ...string[]])}`;
}

const NAMES = Object.keys(RULES) as [string, ...string[]];

function randomText(random: Random): string {
  const text = random.of(TEXTS as readonly [string, ...string[]]);
  return random.chance(0.7) ? mutated(random, text) : text;
}

function randomCase(random: Random): FormatCase {
  const rule = random.chance(0.2) ? 'network' : random.of(NAMES);
  return { rule, text: rule === 'network' ? randomNetwork(random) : randomText(random) };
}

describeUpstream('formats', (upstream) => {
  const ours = ({ rule, text }: FormatCase) => RULES[rule]?.(text);
  it('have the faults that upstream finds', () => compareCases(upstream(), { area: 'format', randomCase, ours }));
});
