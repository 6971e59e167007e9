import type { Container, Node, Pod, PodSpec } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, node, pod } from '../testing/sample-objects.js';
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator.js';

const enabled = ['NodeDeclaredFeatures'];
const OF_PODS = 'InPlacePodLevelResourcesVerticalScaling';
const OF_INIT_CONTAINERS = 'InPlacePodVerticalScalingInitContainers';

const declaring = (...declaredFeatures: string[]) => node({ declaredFeatures });
const on = (spec: Partial<PodSpec>, generation = 1): Pod => pod({ nodeName: 'n', ...spec }, { generation });
const init = (cpu: string, more: Partial<Container> = {}): Partial<PodSpec> => ({
  initContainers: [container({ name: 'i', resources: { requests: { cpu } }, ...more })],
});
const ofPod = (cpu: string): Partial<PodSpec> => ({ resources: { requests: { cpu } } });
const sidecar = { restartPolicy: 'Always' };
const missing = (names: string) => `pod update requires features ${names} which are not available on node "n"`;

it.each<[string, readonly [Pod, Pod], readonly Node[], string | undefined]>([
  ['the resources of the pod', [on(ofPod('1')), on(ofPod('2'), 2)], [declaring()], missing(OF_PODS)],
  ['the resources of the pod, declared', [on(ofPod('1')), on(ofPod('2'), 2)], [declaring('A', OF_PODS)], undefined],
  ['the first resources of the pod', [on({}), on(ofPod('2'), 2)], [declaring(OF_INIT_CONTAINERS)], missing(OF_PODS)],
  ['empty resources of the pod', [on({}), on({ resources: {} }, 2)], [declaring()], missing(OF_PODS)],
  [
    'resources of an init container',
    [on(init('1')), on(init('2'), 2)],
    [declaring(OF_PODS)],
    missing(OF_INIT_CONTAINERS),
  ],
  [
    'resources of an init container, declared',
    [on(init('1')), on(init('2'), 2)],
    [declaring(OF_INIT_CONTAINERS)],
    undefined,
  ],
  ['resources of a sidecar', [on(init('1', sidecar)), on(init('2', sidecar), 2)], [declaring()], undefined],
  ['something else of an init container', [on(init('1')), on(init('1', { image: 'j' }), 2)], [declaring()], undefined],
  [
    'both',
    [on({ ...ofPod('1'), ...init('1') }), on({ ...ofPod('2'), ...init('2') }, 2)],
    [declaring()],
    missing(`${OF_PODS}, ${OF_INIT_CONTAINERS}`),
  ],
  ['its image', [on({}), on({ containers: [container({ image: 'j' })] }, 2)], [], undefined],
  ['the same generation', [on(ofPod('1')), on(ofPod('2'))], [declaring()], undefined],
  ['a pod on no node', [on({ nodeName: '' }), on({ nodeName: '', ...ofPod('2') }, 2)], [], undefined],
  ['a pod on a node that does not exist', [on({}), on(ofPod('2'), 2)], [], 'node "n" not found'],
])('an update of %s', async (_, [oldObject, object], nodes, fault) => {
  const plugin = nodeDeclaredFeatureValidator(testPluginDependencies({ nodes: [...nodes] }, { enabled }));
  for (const resource of ['pods', 'pods/resize']) {
    const outcome = await runPlugin(plugin, objectAttributes(resource, object, { oldObject }));
    expect(outcome).toEqual(fault === undefined ? { object } : { refused: `pods "p" is forbidden: ${fault}` });
  }
});

it('handles updates of pods and their resizes, with the gate on', () => {
  const scope = (resource: string) => objectAttributes(resource, pod()).scope;
  const plugin = nodeDeclaredFeatureValidator(testPluginDependencies({}, { enabled }));
  expect([
    plugin.handles('UPDATE', scope('pods')),
    plugin.handles('UPDATE', scope('pods/resize')),
    plugin.handles('UPDATE', scope('pods/status')),
    plugin.handles('CREATE', scope('pods')),
    plugin.handles('UPDATE', scope('pods.example.com')),
    nodeDeclaredFeatureValidator(testPluginDependencies()).handles('UPDATE', scope('pods')),
  ]).toEqual([true, true, false, false, false, false]);
});
