import type { Logger } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { loadPlugins } from './load-plugins.js';
import { type AdmissionPluginDefinition, InitializationError } from './plugin-definition.js';
import { objectAttributes } from './testing/attributes.js';
import { testPluginDependencies } from './testing/plugin-dependencies.js';
import { pod } from './testing/sample-objects.js';

function load(
  definitions: readonly AdmissionPluginDefinition[],
  configurations: Readonly<Record<string, unknown>> = {},
) {
  const logged: string[] = [];
  const logger: Logger = {
    info: (message) => void logged.push(message),
    warning: () => {},
    error: () => {},
    v: () => undefined,
    named: () => logger,
  };
  const configurationOf = (name: string) => configurations[name];
  return {
    chain: loadPlugins({ definitions, dependencies: testPluginDependencies(), configurationOf, logger }),
    logged,
  };
}

const definition = (name: string, phases: object, seen: unknown[] = []): AdmissionPluginDefinition => ({
  name,
  defaultOn: true,
  create: ({ configuration }) => {
    seen.push(configuration);
    return { name, handles: () => true, ...phases };
  },
});
const run = async () => {};

it('makes a chain of the implemented plugins, each with its configuration, and logs their names', () => {
  const seen: unknown[] = [];
  const { chain, logged } = load(
    [
      definition('A', { admit: run, validate: run }, seen),
      { name: 'NotBuilt', defaultOn: true },
      definition('B', { admit: run }, seen),
    ],
    { B: { b: 1 } },
  );
  expect(chain.handles('CREATE', objectAttributes('pods', pod()).scope)).toBe(true);
  expect(seen).toEqual([undefined, { b: 1 }]);
  expect(logged).toEqual([
    'Loaded 2 mutating admission controller(s) successfully in the following order: A,B.',
    'Loaded 1 validating admission controller(s) successfully in the following order: A.',
  ]);
  expect(load([definition('V', { validate: run })]).logged).toHaveLength(1);
});

it.each([
  [new Error('no limits'), `couldn't init admission plugin "C": no limits`],
  [new InitializationError('C invalid: limits'), 'failed to initialize admission plugin "C": C invalid: limits'],
])('names the plugin that rejects its configuration: %s', (error, message) => {
  const create = () => {
    throw error;
  };
  expect(() => load([{ name: 'C', defaultOn: false, create }])).toThrow(message);
});
