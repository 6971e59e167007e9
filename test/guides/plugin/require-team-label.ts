import { type AdmissionPluginDefinition, newAdmissionForbidden } from '@apiserver/admission';
import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';

const LABEL = 'team';

const NAME = 'RequireTeamLabel';

/**
 * Requires the label "team" of every namespace. The configuration may give a default for new ones:
 * `{ "default": "core" }`.
 */
export const requireTeamLabel: AdmissionPluginDefinition = {
  name: NAME,
  defaultOn: false,
  create: ({ configuration }) => teamLabelPlugin(defaultTeamOf(configuration)),
};

/** The plugin itself. Without `defaultTeam`, it changes nothing. */
export function teamLabelPlugin(defaultTeam?: string): AdmissionPlugin {
  return {
    name: NAME,
    handles: (operation, { resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      resource.group === '' &&
      resource.resource === 'namespaces' &&
      subresource === '',
    admit({ operation, object }) {
      if (operation !== 'CREATE' || defaultTeam === undefined || object === undefined) return;
      object.metadata.labels = { [LABEL]: defaultTeam, ...object.metadata.labels };
    },
    validate(attributes) {
      if (attributes.object?.metadata.labels?.[LABEL] !== undefined) return;
      throw newAdmissionForbidden(attributes, `a namespace must have the label "${LABEL}"`);
    },
  };
}

/** Throws an Error for a configuration that it cannot use: the server then refuses to start. */
function defaultTeamOf(configuration: unknown): string | undefined {
  if (configuration === undefined) return undefined;
  if (typeof configuration === 'object' && configuration !== null && 'default' in configuration) {
    if (typeof configuration.default === 'string') return configuration.default;
  }
  throw new Error('the configuration must be an object with the string "default"');
}
