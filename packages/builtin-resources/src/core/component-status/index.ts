import { ComponentStatus } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { componentStatusColumns } from './columns.js';
import { probeComponent } from './probe-component.js';
import { componentStatusStrategy } from './strategy.js';
import { componentStatusVerbs } from './verbs.js';

/** ComponentStatuses: the health of other control plane components on this host. Probed on every read. */
export const componentStatuses = defineResource<ComponentStatus>({
  shortNames: ['cs'],
  versions: [{ schema: ComponentStatus }],
  verbs: ['get', 'list'],
  strategy: componentStatusStrategy,
  columns: componentStatusColumns,
  storeHooks: { override: (generic) => componentStatusVerbs(generic, probeComponent) },
});
