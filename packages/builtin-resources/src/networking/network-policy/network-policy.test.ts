import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '@apiserver/api/networking/v1';
import { aggregateFieldErrors, collectFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES } from '../../testing/group-dependencies.js';
import { networkPolicies as networkPoliciesFor } from './index.js';

const context = testContext();
const networkPolicies = networkPoliciesFor(TEST_FEATURES);
const { strategy } = networkPolicies;

function policy(spec: Partial<NetworkPolicySpec> = {}): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 2 },
    spec: { podSelector: {}, ...spec },
  };
}

const message = (spec: Partial<NetworkPolicySpec>) => aggregateFieldErrors(strategy.validate(context, policy(spec)));

it.each<[NetworkPolicyPort, string]>([
  [{}, ''],
  [{ protocol: 'SCTP', port: 80, endPort: 90 }, ''],
  [{ port: 'http' }, ''],
  [{ protocol: 'tcp' }, 'protocol: Unsupported value: "tcp": supported values: "TCP", "UDP", "SCTP"'],
  [{ port: 0 }, 'port: Invalid value: 0: must be between 1 and 65535, inclusive'],
  [{ port: 80, endPort: 79 }, 'endPort: Invalid value: 80: must be greater than or equal to `port`'],
  [{ port: 'http', endPort: 79 }, 'endPort: Invalid value: 79: may not be specified when `port` is non-numeric'],
  [{ endPort: 79 }, 'endPort: Invalid value: 79: may not be specified when `port` is not specified'],
])('port %j: %j', (port, expected) => {
  const path = (side: string) => (expected === '' ? '' : `spec.${side}[0].ports[0].${expected}`);
  expect(message({ ingress: [{ ports: [port] }] })).toBe(path('ingress'));
  expect(message({ egress: [{ ports: [port] }] })).toBe(path('egress'));
});

it.each<[NetworkPolicyPeer, string]>([
  [{ podSelector: {}, namespaceSelector: {} }, ''],
  [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }, ''],
  [{}, ': Required value: must specify a peer'],
  [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }, ': Forbidden: may not specify both ipBlock and another peer'],
  [{ ipBlock: { cidr: '' } }, '.ipBlock.cidr: Required value'],
  [
    { ipBlock: { cidr: '10.0.0.1/8' } },
    '.ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
  ],
  [
    { ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } },
    '.ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
  ],
  [
    { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } },
    '.ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
  ],
])('peer %j: %j', (peer, expected) => {
  const path = (place: string) => (expected === '' ? '' : `${place}[0]${expected}`);
  expect(message({ ingress: [{ from: [peer] }] })).toBe(path('spec.ingress[0].from'));
  expect(message({ egress: [{ to: [peer] }] })).toBe(path('spec.egress[0].to'));
});

it.each([
  [['Egress', 'Ingress'], ''],
  [['Egress', 'x'], 'spec.policyTypes[1]: Unsupported value: "x": supported values: "Ingress", "Egress"'],
  [
    ['Egress', 'Ingress', 'Egress'],
    'spec.policyTypes: Invalid value: ["Egress","Ingress","Egress"]: may not specify more than two policyTypes',
  ],
])('types %j: %j', (policyTypes, expected) => {
  expect(message({ policyTypes })).toBe(expected);
});

describe('update', () => {
  it('accepts a stored selector with more invalid values than errors are reported', () => {
    const values = Array.from({ length: 20_000 }, () => 'bad value');
    const matchExpressions = [{ key: 'a', operator: 'In', values }];
    const bad = policy({ podSelector: { matchExpressions } });
    const update = (old: NetworkPolicy) => collectFieldErrors(() => strategy.validateUpdate(context, bad, old));
    expect([update(bad).length, update(policy()).length > 1]).toEqual([0, true]);
  });

  const sloppy = policy({ egress: [{ to: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }] });

  it('accepts existing networks at any position', () => {
    const moved = policy({ ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/7', except: ['10.0.0.1/8'] } }] }] });
    expect(strategy.validateUpdate(context, moved, sloppy)).toEqual([]);
    expect(strategy.validateUpdate(context, moved, policy())).toHaveLength(1);
  });

  it('warns of them, and increments the generation for the spec', async () => {
    expect(strategy.warningsOnUpdate?.(context, sloppy, sloppy)).toEqual([
      'spec.egress[0].to[0].ipBlock.cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ]);
    const changed = policy({ policyTypes: ['Egress'] });
    await strategy.prepareForUpdate?.(context, changed, policy());
    expect(changed.metadata.generation).toBe(3);
  });
});

it('defaults types and protocols', () => {
  const bare = policy({ egress: [{ ports: [{ port: 80 }] }] });
  const closed = policy();
  for (const defaulted of [bare, closed]) networkPolicies.versions[0]?.applyDefaults?.(defaulted);
  expect([bare.spec, closed.spec.policyTypes]).toEqual([
    { podSelector: {}, policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] },
    ['Ingress'],
  ]);
});

it('shows its pod selector', () => {
  const cells = (shown: NetworkPolicy) => networkPolicies.columns.map((column) => column.cell(shown, rowTime(0)));
  const selector = { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] };
  expect([cells(policy()), cells(policy({ podSelector: selector }))]).toEqual([
    ['a', '<none>', '<unknown>'],
    ['a', 'app=a,b', '<unknown>'],
  ]);
});
