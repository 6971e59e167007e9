import type { AdmissionAttributes, AdmissionOperation } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import type { AdmissionPluginDefinition } from '../plugin-definition.js';
import { objectAttributes } from './attributes.js';
import {
  type DependencyChanges,
  type TestObjects,
  type TestPluginDependencies,
  testPluginDependencies,
} from './plugin-dependencies.js';
import { runPlugin } from './run-plugin.js';

const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** Endpoints of all kinds: a plugin's `handles` must give a stable result for each. */
const ENDPOINTS = [
  'pods',
  'pods/status',
  'pods/resize',
  'pods/ephemeralcontainers',
  'nodes',
  'namespaces',
  'services',
  'persistentvolumeclaims',
  'persistentvolumeclaims/status',
  'configmaps',
  'ingresses.networking.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'widgets.example.com',
].map((resource) => objectAttributes(resource, { apiVersion: 'v1', kind: 'Any', metadata: {} }).scope);

/** A request that the plugin admits, and the objects that exist at that time. */
export interface AdmittedSample {
  readonly what: string;
  readonly attributes: AdmissionAttributes;
  readonly objects?: TestObjects;
}

/**
 * Checks the contract of every admission plugin. `dependencies` holds its required dependencies, such as a
 * configuration.
 */
export function admissionPluginSuite(
  definition: AdmissionPluginDefinition,
  samples: readonly AdmittedSample[],
  dependencies: DependencyChanges = {},
): void {
  const { name } = definition;
  const create = (made: TestPluginDependencies = testPluginDependencies({}, dependencies)) => {
    if (definition.create === undefined) throw new Error(`${name} is not built`);
    return definition.create(made);
  };

  describe(`${name} as an admission plugin`, () => {
    it('has its name and at least one phase, and reads nothing before a request', () => {
      const made = testPluginDependencies({}, dependencies);
      const plugin = create(made);
      expect(plugin.name).toBe(name);
      expect(plugin.admit ?? plugin.validate).toBeInstanceOf(Function);
      expect(made.calls).toEqual([]);
    });

    it('gives a stable result for each endpoint', () => {
      const plugin = create();
      const answers = () =>
        ENDPOINTS.map((endpoint) => OPERATIONS.map((operation) => plugin.handles(operation, endpoint)));
      expect(answers()).toEqual(answers());
    });

    it.each(samples)('$what: is handled and admitted, and unchanged on reinvocation', async (sample) => {
      const plugin = create(testPluginDependencies(structuredClone(sample.objects ?? {}), dependencies));
      const { operation, scope, object } = sample.attributes;
      expect(plugin.handles(operation, scope)).toBe(true);
      const before = structuredClone(object);
      const once = await runPlugin(plugin, sample.attributes);
      expect(object).toEqual(before);
      if ('refused' in once) throw new Error(once.refused);
      expect(await runPlugin(plugin, { ...sample.attributes, object: once.object })).toEqual(once);
    });
  });
}
