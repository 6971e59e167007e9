import { describe, expect, it } from 'vitest';
import { fieldErrorMessage } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { type Condition, validateConditions } from './conditions.js';
import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123SubdomainWithUnderscore,
  isWildcardDNS1123Subdomain,
} from './dns-name.js';
import { isPrefixedLabelKey } from './label.js';
import { validateLabelSelector } from './labels.js';
import { nameIsDNS1035Label, nameIsDNSLabel, nameIsDNSSubdomain, validatePathSegmentName } from './object-name.js';
import {
  isConfigMapKey,
  isEnvVarName,
  isHTTPHeaderName,
  isRelaxedEnvVarName,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
  isValidUserID,
} from './other-formats.js';

const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const RELAXED = "a valid environment variable name must consist only of printable ASCII characters other than '='";

describe('formats', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['config key', isConfigMapKey('a_B-1.c'), []],
    ['config key with a slash', isConfigMapKey('a/b'), [CONFIG_KEY]],
    ['empty config key', isConfigMapKey(''), [CONFIG_KEY]],
    ['long config key', isConfigMapKey('k'.repeat(254)), ['must be no more than 253 characters']],
    ['config key .', isConfigMapKey('.'), ["must not be '.'"]],
    ['config key ..', isConfigMapKey('..'), ["must not be '..'"]],
    ['config key ..a', isConfigMapKey('..a'), ["must not start with '..'"]],
    ['1035 label', isDNS1035Label('a-1'), []],
    ['1035 label with a digit first', isDNS1035Label('1a'), [LABEL_1035]],
    [
      'long and bad label',
      isDNS1123Label(`${'a'.repeat(63)}.b`),
      ['must be no more than 63 characters', 'must not contain dots'],
    ],
    ['subdomain with underscore', isDNS1123SubdomainWithUnderscore('_a.b_c'), []],
    ['wildcard', isWildcardDNS1123Subdomain('*.a.b'), []],
    ['no newline slips through', isDNS1123Label('a\n').map(() => 'refused'), ['refused']],
    ['prefixed key', isPrefixedLabelKey('a'), ["must include a prefix (e.g. 'example.com/key')"]],
    ['port name', isValidPortName('http-2'), []],
    [
      'bad port name',
      isValidPortName('-_--'),
      [
        'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'must contain at least one letter (a-z)',
        'must not contain consecutive hyphens',
        'must not begin or end with a hyphen',
      ],
    ],
    ['long port name', isValidPortName('a'.repeat(16)), ['must be no more than 15 characters']],
    ['port', isValidPortNum(0), ['must be between 1 and 65535, inclusive']],
    ['user', isValidUserID(4294967296), ['must be between 0 and 4294967295, inclusive']],
    ['env', isEnvVarName('A.b-c_1'), []],
    ['relaxed env', isRelaxedEnvVarName('1 a:b'), []],
    ['relaxed env with =', isRelaxedEnvVarName('a=b'), [RELAXED]],
    ['relaxed env, not ASCII', isRelaxedEnvVarName('é'), [RELAXED]],
    ['relaxed env, empty', isRelaxedEnvVarName(''), ['environment variable name must be non-empty']],
    [
      'percent',
      isValidPercent('25'),
      [
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ],
    ],
    [
      'header',
      isHTTPHeaderName('X_A'),
      [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      ],
    ],
    ['path segment', validatePathSegmentName('a:b'), []],
    ['path segment ..', validatePathSegmentName('..'), ["may not be '..'"]],
    ['path segment prefix ..', validatePathSegmentName('..', true), []],
    ['path segment with / and %', validatePathSegmentName('%/'), ["may not contain '/'", "may not contain '%'"]],
    ['prefix of a subdomain', nameIsDNSSubdomain('a.b-', true), []],
    ['name with a trailing dash', nameIsDNSLabel('a-').map(() => 'refused'), ['refused']],
    ['prefix with a character beyond ASCII', nameIsDNSLabel('é-', true).map(() => 'refused'), ['refused']],
    ['prefix whose last character is masked', nameIsDNS1035Label('aA-', true), []],
  ])('%s', (_, faults, expected) => {
    expect(faults).toEqual(expected);
  });

  it('scans a long invalid text once', () => {
    // A non-linear check takes minutes.
    const long = `${'a-'.repeat(500_000)}!`;
    expect(isDNS1123Label(long)).toHaveLength(2);
    expect(isPrefixedLabelKey(`${long}/${long}`)).toHaveLength(4);
  });
});

describe('validateLabelSelector', () => {
  it('names every fault at its place', () => {
    const selector = {
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['x'] },
        { key: 'a', operator: 'Near' },
        { key: 'a', operator: 'In', values: ['a b'] },
      ],
    };
    const path = FieldPath.of('spec', 'selector');
    const shown = validateLabelSelector(selector, {}, path).map(fieldErrorMessage);
    expect(shown.slice(0, 3)).toEqual([
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[2].operator: Invalid value: "Near": not a valid selector operator',
    ]);
    expect(shown[3]).toContain('spec.selector.matchExpressions[3].values[0]: Invalid value: "a b": a valid label');
    expect(validateLabelSelector(selector, { allowInvalidLabelValueInSelector: true }, path)).toHaveLength(3);
    expect(validateLabelSelector(undefined, {}, path)).toEqual([]);
  });
});

describe('validateConditions', () => {
  const good: Condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R' };

  it('names every fault at its place', () => {
    const bad = { ...good, status: 'Maybe', observedGeneration: -1, lastTransitionTime: null, reason: '' };
    expect(validateConditions([good, bad], FieldPath.of('status', 'conditions')).map(fieldErrorMessage)).toEqual([
      'status.conditions[1].type: Duplicate value: "Ready"',
      'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'status.conditions[1].lastTransitionTime: Required value',
      'status.conditions[1].reason: Required value',
    ]);
  });

  it('bounds reason and message', () => {
    const long = { ...good, reason: 'r'.repeat(1025), message: 'm'.repeat(32769) };
    expect(
      validateConditions([long, { ...good, type: 'B', reason: '-' }], FieldPath.of('c')).map(fieldErrorMessage),
    ).toEqual([
      'c[0].reason: Too long: may not be more than 1024 bytes',
      'c[0].message: Too long: may not be more than 32768 bytes',
      expect.stringContaining(
        'c[1].reason: Invalid value: "-": a condition reason must start with alphabetic character',
      ),
    ]);
  });
});
