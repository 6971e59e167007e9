import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressSpec,
  IngressStatus,
} from '@apiserver/api/networking/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { ingresses as ingressesFor } from './index.js';

const context = testContext();
const ingresses = ingressesFor(TEST_FEATURES);
const { strategy } = ingresses;
const BACKEND: IngressBackend = { service: { name: '1st', port: { number: 80 } } };

function ingress(
  spec: IngressSpec = { defaultBackend: BACKEND },
  status: IngressStatus = { loadBalancer: {} },
): Ingress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 2 },
    spec,
    status,
  };
}

const message = (spec: IngressSpec) => aggregateFieldErrors(strategy.validate(context, ingress(spec)));

it.each<[string, IngressSpec, string]>([
  ['a backend', { defaultBackend: BACKEND }, ''],
  ['a rule without paths', { rules: [{ host: 'a.example.com' }, { host: '*.example.com' }] }, ''],
  ['nothing', {}, 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  [
    'an address as host',
    { rules: [{ host: '10.0.0.1' }] },
    'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
  ],
  ['no paths', { rules: [{ http: { paths: null } }] }, 'spec.rules[0].http.paths: Required value'],
  ['TLS', { defaultBackend: BACKEND, tls: [{ hosts: ['*.example.com'], secretName: 's' }, {}] }, ''],
  ['a class', { defaultBackend: BACKEND, ingressClassName: 'c' }, ''],
])('%s', (_what, spec, expected) => {
  expect(message(spec)).toBe(expected);
});

it.each<[string, IngressSpec, string]>([
  ['a bad host', { rules: [{ host: 'A' }] }, 'spec.rules[0].host'],
  ['a bad wildcard', { rules: [{ host: 'a.*.b' }] }, 'spec.rules[0].host'],
  ['a bad host of TLS', { defaultBackend: BACKEND, tls: [{ hosts: ['a', 'A'] }] }, 'spec.tls[0].hosts[1]'],
  ['a bad secret', { defaultBackend: BACKEND, tls: [{ secretName: 'A' }] }, 'spec.tls[0].secretName'],
  ['a bad class', { defaultBackend: BACKEND, ingressClassName: 'A' }, 'spec.ingressClassName'],
])('%s', (_what, spec, field) => {
  expect(strategy.validate(context, ingress(spec)).map((error) => error.field)).toEqual([field]);
});

it.each<[Partial<HTTPIngressPath>, string]>([
  [{ pathType: 'Prefix', path: '/' }, ''],
  [{ pathType: 'ImplementationSpecific' }, ''],
  [{}, 'pathType: Required value: pathType must be specified'],
  [
    { pathType: 'x', path: '/' },
    'pathType: Unsupported value: "x": supported values: "Exact", "ImplementationSpecific", "Prefix"',
  ],
  [{ pathType: 'Exact' }, 'path: Invalid value: "": must be an absolute path'],
  [{ pathType: 'Exact', path: '/a//b' }, `path: Invalid value: "/a//b": must not contain '//'`],
  [{ pathType: 'Prefix', path: '/a/..' }, `path: Invalid value: "/a/..": cannot end with '/..'`],
  [{ pathType: 'ImplementationSpecific', path: 'a//b' }, 'path: Invalid value: "a//b": must be an absolute path'],
])('path %j: %j', (path, expected) => {
  const found = message({ rules: [{ http: { paths: [{ backend: BACKEND, ...path }] } }] });
  expect(found).toBe(expected === '' ? '' : `spec.rules[0].http.paths[0].${expected}`);
});

it.each<[IngressBackend, string]>([
  [{ service: { name: 'a', port: { name: 'http' } } }, ''],
  [{ resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } }, ''],
  [{}, ': Invalid value: "": resource or service backend is required'],
  [
    { ...BACKEND, resource: { kind: 'K', name: 'n' } },
    ': Invalid value: "": cannot set both resource and service backends',
  ],
  [{ service: { name: '', port: { number: 1 } } }, '.service.name: Required value'],
  [{ service: { name: 'a', port: {} } }, ': Required value: port name or number is required'],
  [
    { service: { name: 'a', port: { name: 'http', number: 80 } } },
    ': Invalid value: "": cannot set both port name & port number',
  ],
  [
    { service: { name: 'a', port: { number: 70000 } } },
    '.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive',
  ],
  [
    { service: { name: 'a', port: { name: '80' } } },
    '.service.port.name: Invalid value: "80": must contain at least one letter (a-z)',
  ],
  [{ resource: { kind: '', name: 'a/b' } }, 'resource'],
  [{ resource: { apiGroup: null, kind: 'K', name: 'n' } }, ''],
  [{ resource: { apiGroup: 'G', kind: 'K', name: 'n' } }, 'group'],
])('backend %j: %j', (defaultBackend, expected) => {
  const found = message({ defaultBackend });
  if (expected === 'group') {
    expect(found).toMatch(
      /^spec\.defaultBackend\.resource\.apiGroup: Invalid value: "G": a lowercase RFC 1123 subdomain/,
    );
  } else if (expected === 'resource') {
    expect(found).toBe(
      `[spec.defaultBackend.resource.kind: Required value, spec.defaultBackend.resource.name: Invalid value: "a/b": may not contain '/']`,
    );
  } else {
    expect(found).toBe(expected === '' ? '' : `spec.defaultBackend${expected}`);
  }
});

describe('the former annotation of the class', () => {
  const annotated = (ingressClassName?: string) => {
    const made = ingress({ defaultBackend: BACKEND, ...(ingressClassName === undefined ? {} : { ingressClassName }) });
    made.metadata.annotations = { 'kubernetes.io/ingress.class': 'old' };
    return made;
  };

  it('must agree with the field on create', () => {
    expect(aggregateFieldErrors(strategy.validate(context, annotated('new')))).toBe(
      'annotations.kubernetes.io/ingress.class: Invalid value: "old": must match `ingressClassName` when both are specified',
    );
    expect([annotated('old'), annotated()].flatMap((made) => strategy.validate(context, made))).toEqual([]);
    expect(strategy.validateUpdate(context, annotated('new'), annotated())).toEqual([]);
  });

  it('causes a warning', () => {
    expect(strategy.warningsOnCreate?.(context, annotated())).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    expect(strategy.warningsOnCreate?.(context, annotated('old'))).toEqual([]);
  });
});

it('accepts on update what was stored under older rules', () => {
  const old = ingress({ rules: [{ host: '*.a.b', http: { paths: [] } }], tls: [{ secretName: 'A' }] });
  expect(strategy.validateUpdate(context, old, old)).toEqual([]);
  expect(strategy.validate(context, old)).toHaveLength(2);
});

it('no longer validates wildcard rules if one of the stored ones has a service whose name begins with a digit', () => {
  const paths = [{ path: '/', pathType: 'Prefix', backend: { service: { name: '1st', port: { number: 80 } } } }];
  const faulty = ingress({ rules: [{ host: '*.a.b', http: { paths: [] } }] });
  expect(strategy.validateUpdate(context, faulty, ingress({ rules: [{ host: '*.a.b', http: { paths } }] }))).toEqual(
    [],
  );
  expect(strategy.validateUpdate(context, faulty, ingress({ rules: [{ host: 'a.b', http: { paths } }] }))).toHaveLength(
    1,
  );
});

it('updates spec and status separately, and increments the generation for the spec', async () => {
  const changed = () => ingress({ rules: [{ host: 'a' }] }, { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } });
  const atMain = changed();
  await strategy.prepareForUpdate?.(context, atMain, ingress());
  const atStatus = changed();
  await ingresses.subresources.status?.strategy.prepareForUpdate?.(context, atStatus, ingress());
  expect([atMain, atStatus]).toEqual([
    { ...ingress({ rules: [{ host: 'a' }] }), metadata: { ...ingress().metadata, generation: 3 } },
    ingress(undefined, changed().status),
  ]);
});

it('validates addresses of the status', () => {
  const status = ingresses.subresources.status?.strategy;
  const sloppy = ingress(undefined, { loadBalancer: { ingress: [{ ip: '010.0.0.1' }, { hostname: '10.0.0.1' }] } });
  expect(aggregateFieldErrors(status?.validateUpdate(context, sloppy, ingress()) ?? [])).toBe(
    '[status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s, status.loadBalancer.ingress[1].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address]',
  );
  expect(status?.validateUpdate(context, sloppy, sloppy).map(({ field }) => field)).toEqual([
    'status.loadBalancer.ingress[1].hostname',
  ]);
  expect(status?.warningsOnUpdate?.(context, sloppy, sloppy)).toEqual([
    'status.loadBalancer.ingress[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"',
  ]);
});

it('shows its hosts and addresses', () => {
  const cells = (shown: Ingress) => ingresses.columns.map((column) => column.cell(shown, rowTime(0)));
  const hosts = ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host }));
  const loadBalancer = { ingress: [{ ip: '10.0.0.2' }, { hostname: 'lb' }, { ip: '10.0.0.1' }, { ip: '10.0.0.2' }] };
  expect([
    cells(ingress({ rules: hosts, tls: [{}], ingressClassName: 'c' }, { loadBalancer })),
    cells(ingress()),
  ]).toEqual([
    ['a', 'c', 'a,b,c + 2 more...', '10.0.0.1,10.0.0.2,lb', '80, 443', '<unknown>'],
    ['a', '<none>', '*', '', '80', '<unknown>'],
  ]);
});

describe('without RelaxedServiceNameValidation', () => {
  const old = ingressesFor(testFeatures({ RelaxedServiceNameValidation: false })).strategy;
  const named = (name: string): IngressBackend => ({ service: { name, port: { number: 80 } } });
  const routed = (name: string) =>
    ingress({
      rules: [{ host: '*.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend: named(name) }] } }],
    });
  const LABEL =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

  it.each<[string, Ingress, string]>([
    ['default backend', ingress(), `spec.defaultBackend.service.name: Invalid value: "1st": ${LABEL}`],
    ['rule', routed('1st'), `spec.rules[0].http.paths[0].backend.service.name: Invalid value: "1st": ${LABEL}`],
  ])('a %s needs a name that begins with a letter, unless the stored one did not', (_, made, fault) => {
    expect(aggregateFieldErrors(old.validate(context, made))).toBe(fault);
    expect(aggregateFieldErrors(old.validateUpdate(context, made, routed('first')))).toBe(fault);
    expect(old.validateUpdate(context, made, routed('2nd'))).toEqual([]);
    expect(old.validateUpdate(context, made, ingress())).toEqual([]);
  });
});
