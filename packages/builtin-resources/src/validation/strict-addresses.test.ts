import type { KubeObject } from '@apiserver/apimachinery';
import type { AnyResourceDefinition, Strategy } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { storedDefinitions, testFeatures } from '../testing/group-dependencies.js';

const context = testContext({ namespace: 'ns' });

/** The definitions of a server with or without StrictIPCIDRValidation, by resource. */
function definitionsOf(strict: boolean): ReadonlyMap<string, AnyResourceDefinition> {
  const features = testFeatures({ StrictIPCIDRValidation: strict });
  const containers = { allowPrivileged: false, features: { StrictIPCIDRValidation: strict } };
  const definitions = storedDefinitions({ features, containers });
  return new Map(definitions.map((definition) => [definition.resource, definition]));
}

const [STRICT, LOOSE] = [definitionsOf(true), definitionsOf(false)];

const OLD = '010.0.0.1';
const podSpec = { containers: [{ name: 'c', image: 'i', resources: {} }] };
const port = { port: 80, protocol: 'TCP' };
const service = { type: 'LoadBalancer', ports: [{ ...port, targetPort: 80 }], sessionAffinity: 'None' };
const blocks = (except: string) => ({
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: [except] } }] }] },
});

/** Every field that predates strict validation, with a value of old. */
it.each<[resource: string, fields: object, subresource?: string]>([
  ['services', { spec: { ...service, externalIPs: [OLD] } }],
  ['services', { spec: { ...service, clusterIP: OLD, clusterIPs: [OLD] } }],
  ['services', { spec: { ...service, loadBalancerSourceRanges: ['10.0.0.1/8'] } }],
  [
    'services',
    {
      spec: service,
      metadata: { annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.1/8' } },
    },
  ],
  ['services', { spec: service, status: { loadBalancer: { ingress: [{ ip: OLD, ipMode: 'VIP' }] } } }, 'status'],
  ['endpoints', { subsets: [{ addresses: [{ ip: OLD }] }] }],
  ['endpointslices', { addressType: 'IPv4', endpoints: [{ addresses: [OLD] }], ports: [] }],
  ['nodes', { spec: { podCIDR: '10.0.0.1/24', podCIDRs: ['10.0.0.1/24'] }, status: {} }],
  ['networkpolicies', blocks('10.1.0.1/16')],
  ['ingresses', { spec: {}, status: { loadBalancer: { ingress: [{ ip: OLD }] } } }, 'status'],
  ['pods', { spec: { ...podSpec, dnsConfig: { nameservers: [OLD] } } }],
  ['pods', { spec: { ...podSpec, hostAliases: [{ ip: OLD, hostnames: ['h'] }] } }],
  ['pods', { spec: podSpec, status: { podIP: OLD, podIPs: [{ ip: OLD }] } }, 'status'],
  ['pods', { spec: podSpec, status: { podIP: '10.0.0.1', hostIP: OLD, hostIPs: [{ ip: OLD }] } }, 'status'],
])('%s with %j', (resource, fields, subresource) => {
  const faults = (definitions: ReadonlyMap<string, AnyResourceDefinition>) => {
    const definition = definitions.get(resource);
    if (definition === undefined) throw new Error(`there are no ${resource}`);
    const object = (more: object): KubeObject => {
      const made = {
        ...{ apiVersion: 'v1', kind: 'K', status: { loadBalancer: {} } },
        ...structuredClone(more),
        metadata: { name: 'o', uid: 'u', resourceVersion: '1', ...Object(more).metadata },
      };
      definition.versions[0]?.applyDefaults?.(made as never);
      return made;
    };
    const strategy = (subresource ? definition.subresources[subresource]?.strategy : definition.strategy) as
      | Strategy<KubeObject>
      | undefined;
    if (subresource === undefined) return strategy?.validate(context, object(fields));
    return strategy?.validateUpdate(context, object(fields), object({ ...fields, status: { loadBalancer: {} } }));
  };
  const messages = (definitions: ReadonlyMap<string, AnyResourceDefinition>) =>
    (faults(definitions) as readonly { readonly detail: string }[]).map(({ detail }) => detail);
  const newFault = /must not have (leading 0s|bits set beyond the prefix length)/;
  expect(messages(STRICT).filter((detail) => newFault.test(detail))).not.toEqual([]);
  expect(messages(LOOSE)).toEqual(messages(STRICT).filter((detail) => !newFault.test(detail)));
});
