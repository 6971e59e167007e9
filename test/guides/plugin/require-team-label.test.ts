import { loadPlugins, orderedPlugins } from '@apiserver/admission';
import {
  admissionPluginSuite,
  objectAttributes,
  runPlugin,
  testPluginDependencies,
} from '@apiserver/admission/testing';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { requireTeamLabel } from './require-team-label.js';

const namespace = (labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'blue', ...(labels && { labels }) },
});
const configuration = { default: 'core' };

admissionPluginSuite(
  requireTeamLabel,
  [{ what: 'a namespace', attributes: objectAttributes('namespaces', namespace()) }],
  { configuration },
);

it.each([
  ['a default', configuration, namespace(), { object: namespace({ team: 'core' }) }],
  ['its own label', configuration, namespace({ team: 'sales' }), { object: namespace({ team: 'sales' }) }],
  [
    'no label',
    undefined,
    namespace(),
    { refused: 'namespaces "blue" is forbidden: a namespace must have the label "team"' },
  ],
])('handles a namespace with %s', async (_, given, object, outcome) => {
  const plugin = requireTeamLabel.create?.(testPluginDependencies({}, { configuration: given }));
  if (plugin === undefined) throw new Error('the plugin is not implemented');
  expect(await runPlugin(plugin, objectAttributes('namespaces', object))).toEqual(outcome);
});

it('joins the chain of the built-in plugins, and names itself when its configuration is wrong', () => {
  const { logger, lines } = createTestLogger();
  const { configuration: _, ...dependencies } = testPluginDependencies();
  const load = (given: unknown) =>
    loadPlugins({
      definitions: [...orderedPlugins.filter(({ name }) => name === 'NamespaceLifecycle'), requireTeamLabel],
      dependencies,
      configurationOf: (name) => (name === requireTeamLabel.name ? given : undefined),
      logger,
    });
  load(configuration);
  expect(lines.map(({ message }) => message)).toContain(
    'Loaded 2 mutating admission controller(s) successfully in the following order: NamespaceLifecycle,RequireTeamLabel.',
  );
  expect(() => load({ default: 7 })).toThrow(
    `couldn't init admission plugin "RequireTeamLabel": the configuration must be an object with the string "default"`,
  );
});
