import { describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

type Server = ReturnType<typeof assembledServer>;

const DEVICES = '/apis/resource.k8s.io/v1';
const CIDRS = '/apis/networking.k8s.io/v1/servicecidrs';
const service = (name: string, spec: object = {}) =>
  core('Service', name, { spec: { ports: [{ port: 80 }], ...spec } });
const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
const slice = object('resource.k8s.io/v1', 'ResourceSlice', 's', {
  spec: {
    ...{ driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, allNodes: true },
    devices: [
      {
        name: 'x',
        ...{ taints: [{ key: 'k', effect: 'None' }], allowMultipleAllocations: true },
        ...{ bindingConditions: ['a'], bindingFailureConditions: ['b'] },
      },
    ],
  },
});
const claim = object('resource.k8s.io/v1', 'ResourceClaim', 'c', {
  spec: {
    devices: {
      requests: [{ name: 'r', exactly: { deviceClassName: 'c', tolerations: [{ key: 'k', operator: 'Exists' }] } }],
    },
  },
});
const conditions = [
  { type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' },
];

/** Reads what a server makes of an object. */
async function made(server: Server, path: string, body: object): Promise<object> {
  const response = await server.ask('POST', path, body);
  return response.code === 201 ? response.body : { refused: response.body.message };
}

/** Each gate that is on by default, with something that a client sees. */
const ROWS: readonly (readonly [
  gate: string,
  look: (server: Server) => Promise<unknown>,
  on: unknown,
  off: unknown,
])[] = [
  [
    'RelaxedServiceNameValidation',
    async (server) => [
      (await server.ask('POST', paths.in('default', 'services'), service('1st'))).code,
      (
        await server.ask(
          'POST',
          paths.inGroup('networking.k8s.io', 'default', 'ingresses'),
          object('networking.k8s.io/v1', 'Ingress', 'i', { spec: { defaultBackend: backend('1st') } }),
        )
      ).code,
    ],
    [201, 201],
    [422, 422],
  ],
  [
    'StrictIPCIDRValidation',
    async (server) => [
      (await server.ask('POST', paths.in('default', 'services'), service('old', { externalIPs: ['010.1.2.3'] }))).code,
      (await server.ask('POST', paths.in('default', 'services'), service('taken', { clusterIP: '010.000.000.077' })))
        .code,
      (await server.ask('POST', paths.in('default', 'pods'), pod('old', { hostAliases: [{ ip: '010.1.2.3' }] }))).code,
    ],
    [422, 422, 422],
    [201, 201, 201],
  ],
  [
    'ServiceCIDRStatusFieldWiping',
    async (server) => {
      const spec = { cidrs: ['10.77.0.0/24'] };
      const written = await server.make(
        CIDRS,
        object('networking.k8s.io/v1', 'ServiceCIDR', 'c', { spec, status: { conditions } }),
      );
      return written.status?.conditions?.length ?? 0;
    },
    0,
    1,
  ],
  [
    'NodeDeclaredFeatures',
    async (server) =>
      (await server.make(paths.nodes, core('Node', 'n', { status: { declaredFeatures: ['A'] } }))).status
        .declaredFeatures,
    ['A'],
    undefined,
  ],
  [
    'PodLevelResources',
    async (server) => {
      const limits = { cpu: '1', memory: '1Gi' };
      const { spec, status } = await server.make(paths.in('default', 'pods'), pod('sized', { resources: { limits } }));
      return [spec.resources?.limits.cpu, status.qosClass];
    },
    ['1', 'Guaranteed'],
    [undefined, 'BestEffort'],
  ],
  [
    'the DRA gates of slices',
    async (server) => {
      const text = JSON.stringify(await made(server, `${DEVICES}/resourceslices`, slice));
      return ['"taints"', '"allowMultipleAllocations"', '"bindingConditions"'].filter((field) => text.includes(field));
    },
    ['"taints"', '"allowMultipleAllocations"', '"bindingConditions"'],
    [],
  ],
  [
    'DRADeviceTaints of claims',
    async (server) =>
      JSON.stringify(await made(server, `${DEVICES}/namespaces/default/resourceclaims`, claim)).includes('tolerations'),
    true,
    false,
  ],
  [
    'DRAExtendedResource',
    async (server) => {
      const spec = { extendedResourceName: 'example.com/a' };
      const path = `${DEVICES}/deviceclasses`;
      return (await server.make(path, object('resource.k8s.io/v1', 'DeviceClass', 'c', { spec }))).spec
        .extendedResourceName;
    },
    'example.com/a',
    undefined,
  ],
];

const OFF = [
  ...['DRAConsumableCapacity', 'DRADeviceBindingConditions', 'DRADeviceTaints', 'DRAExtendedResource'],
  ...['DRAPartitionableDevices', 'DRAPrioritizedList', 'DRAResourceClaimDeviceStatus'],
  ...['DRAResourceClaimGranularStatusAuthorization', 'InPlacePodLevelResourcesVerticalScaling', 'NodeDeclaredFeatures'],
  ...['PodLevelResources', 'RelaxedServiceNameValidation', 'RestartAllContainersOnContainerExits'],
  ...['ServiceCIDRStatusFieldWiping', 'StrictIPCIDRValidation'],
];

describe('gates that are on by default', () => {
  const admission = '--disable-admission-plugins=ServiceAccount';
  const byDefault = assembledServer(admission);
  const other = assembledServer(admission, `--feature-gates=${OFF.map((name) => `${name}=false`).join(',')}`);

  it.each(ROWS)('%s can be switched off', async (_gate, look, on, off) => {
    expect([await look(byDefault), await look(other)]).toEqual([on, off]);
  });
});
