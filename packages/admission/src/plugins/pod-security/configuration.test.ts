import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { podSecurityConfiguration } from './configuration.js';

const GROUP = 'pod-security.admission.config.k8s.io';
const kind = (version: string, more: object = {}) => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'PodSecurityConfiguration',
  ...more,
});

const LATEST = { level: 'privileged', version: 'latest' };
const DEFAULTS = { enforce: LATEST, audit: LATEST, warn: LATEST };
const NONE = { usernames: new Set(), namespaces: new Set(), runtimeClasses: new Set() };
const SCHEME = 'k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31';

function loaded(configuration: unknown): unknown {
  try {
    return podSecurityConfiguration(configuration);
  } catch (error) {
    return messageOf(error);
  }
}

it.each<[string, unknown, unknown]>([
  ['none', undefined, { defaults: DEFAULTS, exemptions: NONE }],
  ['an empty one', kind('v1'), { defaults: DEFAULTS, exemptions: NONE }],
  [
    'one of v1beta1',
    kind('v1beta1', {
      defaults: { enforce: 'baseline', 'audit-version': 'v1.30', warn: '' },
      exemptions: { usernames: ['u'], namespaces: ['n'], runtimeClasses: ['r.c'] },
    }),
    {
      defaults: {
        enforce: { level: 'baseline', version: 'latest' },
        audit: { level: 'privileged', version: 'v1.30' },
        warn: LATEST,
      },
      exemptions: { usernames: new Set(['u']), namespaces: new Set(['n']), runtimeClasses: new Set(['r.c']) },
    },
  ],
  ['one of v1alpha1', kind('v1alpha1', { exemptions: null }), { defaults: DEFAULTS, exemptions: NONE }],
  [
    'bad defaults',
    kind('v1', { defaults: { enforce: 'x', 'enforce-version': '1.2', warn: 'y' } }),
    'PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, enforce-version: must be "latest" or "v1.x", warn: must be one of privileged, baseline, restricted]',
  ],
  [
    'duplicates',
    kind('v1', { exemptions: { usernames: ['a', '', 'a'], runtimeClasses: ['r', 'r'] } }),
    'PodSecurity invalid: [exemptions.runtimeClasses[1]: Duplicate value: "r", exemptions.usernames[1]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "a"]',
  ],
  [
    'an unknown version',
    kind('v2'),
    `no kind "PodSecurityConfiguration" is registered for version "${GROUP}/v2" in scheme "${SCHEME}"`,
  ],
  [
    'another kind',
    { apiVersion: 'v1', kind: 'Pod' },
    `no kind "Pod" is registered for version "v1" in scheme "${SCHEME}"`,
  ],
  ['no kind', { defaults: {} }, `Object 'Kind' is missing in '{"defaults":{}}'`],
  ['no version', { kind: 'Pod' }, `Object 'apiVersion' is missing in '{"kind":"Pod"}'`],
  ['a bad version', { kind: 'Pod', apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
  [
    'a kind of another type',
    { kind: 1 },
    `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`,
  ],
  [
    'unknown fields',
    kind('v1', { defaults: { bogus: 'x' }, more: 1 }),
    'strict decoding error: unknown field "defaults.bogus", unknown field "more"',
  ],
])('loads %s', (_, configuration, expected) => {
  expect(loaded(configuration)).toEqual(expected);
});
