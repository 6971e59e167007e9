import type { LimitRange, Pod } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { limitRanger } from '../plugins/limit-ranger/limit-ranger.js';
import { podResizeValidator } from '../plugins/pod-resize-validator.js';
import { podTolerationRestriction } from '../plugins/pod-toleration-restriction.js';
import { printAmounts } from '../quota/amounts.js';
import { podEvaluator } from '../quota/pod-evaluator.js';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { namespace, node, pod } from '../testing/sample-objects.js';
import { consideredSpec } from './considered-spec.js';

const OFF = { features: { enabled: () => false } };
const amounts = { cpu: '4' };
const sized = (metadata: object = {}): Pod =>
  pod({ nodeName: 'n', resources: { requests: amounts, limits: amounts } }, metadata);

it('counts resources of pods for quotas with PodLevelResources', () => {
  const seen = (isOn: boolean) => {
    const evaluator = podEvaluator({ now: () => 0 }, consideredSpec({ enabled: () => isOn }));
    const isBestEffort = evaluator.matchesScope({ scopeName: 'BestEffort', operator: 'Exists' }, sized());
    return [printAmounts(evaluator.usage(sized())), isBestEffort, evaluator.constraintFault(['cpu'], sized())];
  };
  expect([seen(true), seen(false)]).toEqual([
    ['count/pods=1,cpu=4,limits.cpu=4,pods=1,requests.cpu=4', false, undefined],
    ['count/pods=1,pods=1', true, 'must specify cpu for: c'],
  ]);
});

it('holds them to limits with PodLevelResources', async () => {
  const limits = [{ type: 'Pod', max: { cpu: '1' } }];
  const limitRange: LimitRange = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'l', namespace: 'ns' },
    spec: { limits },
  };
  const faultOf = async (changes: object) => {
    const plugin = limitRanger(testPluginDependencies({ limitranges: [limitRange] }, changes));
    return ((await runPlugin(plugin, objectAttributes('pods', sized()))) as { refused?: string }).refused;
  };
  expect(await faultOf({})).toContain('maximum cpu usage per Pod is 1, but limit is 4');
  expect(await faultOf(OFF)).toContain('No limit is specified');
});

it('compares them with the node with PodLevelResources', async () => {
  const nodes = [node({ allocatable: { cpu: '2', memory: '1Gi' } }, { 'kubernetes.io/os': 'linux' })];
  const refusalOf = async (changes: object) => {
    const plugin = podResizeValidator(testPluginDependencies({ nodes }, changes));
    const oldObject = sized({ generation: 1 });
    const attributes = objectAttributes('pods/resize', sized({ generation: 2 }), { oldObject });
    return ((await runPlugin(plugin, attributes)) as { refused?: string }).refused;
  };
  expect(await refusalOf({})).toContain('requested: 4000, allocatable: 2000');
  expect(await refusalOf(OFF)).toBeUndefined();
});

it('lets pods with them tolerate memory pressure with PodLevelResources', async () => {
  const tolerationsWith = async (changes: object) => {
    const plugin = podTolerationRestriction(testPluginDependencies({ namespaces: [namespace()] }, changes));
    const outcome = (await runPlugin(plugin, objectAttributes('pods', sized()))) as { object: Pod };
    return outcome.object.spec.tolerations?.length ?? 0;
  };
  expect([await tolerationsWith({}), await tolerationsWith(OFF)]).toEqual([1, 0]);
});
