import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { namespace, pod } from '../testing/sample-objects.js';
import { podNodeSelector } from './pod-node-selector.js';

const ANNOTATION = 'scheduler.alpha.kubernetes.io/node-selector';
type Selector = Record<string, string>;

it.each<[string | undefined, object | undefined, Selector | undefined, Selector | string | undefined]>([
  [undefined, undefined, undefined, undefined],
  ['a=1,b=2', undefined, { c: '3' }, { a: '1', b: '2', c: '3' }],
  [' a = 1 , b=2', undefined, undefined, { a: '1', b: '2' }],
  [undefined, { clusterDefaultNodeSelector: 'd=4' }, undefined, { d: '4' }],
  ['', { clusterDefaultNodeSelector: 'd=4' }, { a: '1' }, { a: '1' }],
  [
    'a=1',
    undefined,
    { a: '2' },
    'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
  ],
  [undefined, { ns: 'a=1' }, { a: '1' }, { a: '1' }],
  [
    undefined,
    { ns: 'a=1' },
    { b: '1' },
    'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
  ],
  ['constructor=1', undefined, { a: '1' }, { a: '1', constructor: '1' }],
  // The texts of k8s.io/apimachinery 0.36.6.
  ['a', undefined, undefined, 'invalid selector: [a]'],
  ['a=b=c', undefined, undefined, 'invalid selector: [a b c]'],
  [
    'a b=c',
    undefined,
    undefined,
    `<nil>: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  [
    'a=b c',
    undefined,
    undefined,
    `[a]: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ],
  ['\u0085a=b\u0085', undefined, undefined, { a: 'b' }],
])('namespace %j, configuration %j, pod %j: %j', async (ofNamespace, configured, nodeSelector, expected) => {
  const annotations = ofNamespace === undefined ? {} : { [ANNOTATION]: ofNamespace };
  // Its name may have any case.
  const configuration = configured && { podnodeSelectorPluginConfig: configured };
  const plugin = podNodeSelector(testPluginDependencies({ namespaces: [namespace(annotations)] }, { configuration }));
  const spec = (selector: Selector | undefined) => (selector === undefined ? {} : { nodeSelector: selector });
  const outcome = await runPlugin(plugin, objectAttributes('pods', pod(spec(nodeSelector))));
  if (typeof expected === 'string') expect(outcome).toEqual({ refused: expected });
  else expect(outcome).toEqual({ object: pod(spec(expected)) });
});

it('is read in turns of the event loop', async () => {
  const annotations = { [ANNOTATION]: Array(65_000).fill('a=1').join() };
  const plugin = podNodeSelector(testPluginDependencies({ namespaces: [namespace(annotations)] }));
  let turns = 0;
  let isOver = false;
  const validating = plugin.validate?.(objectAttributes('pods', pod({ nodeSelector: { a: '1' } })))?.finally(() => {
    isOver = true;
  });
  for (; !isOver; turns++) await new Promise(setImmediate);
  await validating;
  expect(turns).toBeGreaterThan(3);
});

it('is checked again after other plugins', async () => {
  const plugin = podNodeSelector(testPluginDependencies({ namespaces: [namespace({ [ANNOTATION]: 'a=1' })] }));
  const validated = async (nodeSelector: Selector) =>
    plugin.validate?.(objectAttributes('pods', pod({ nodeSelector })));
  await validated({ a: '1' });
  await expect(validated({ a: '2' })).rejects.toThrow('conflicts with its namespace node label selector');
});

it('is refused without the namespace', async () => {
  const plugin = podNodeSelector(testPluginDependencies());
  const refused = 'Internal error occurred: namespace ns does not exist';
  expect(await runPlugin(plugin, objectAttributes('pods', pod()))).toEqual({ refused });
});

it('refuses an invalid configuration', () => {
  const configuration = { podNodeSelectorPluginConfig: { ns: 1 } };
  expect(() => podNodeSelector(testPluginDependencies({}, { configuration }))).toThrow(
    'podNodeSelectorPluginConfig.ns must be a text',
  );
});
