import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import {
  aggregateFieldErrors,
  type CompilePattern,
  cloneJson,
  equalJson,
  FieldPath,
  loadPatternEngine,
} from '@apiserver/apimachinery';
import { removeCondition, setCondition, versionsOf } from '../custom-resource-definition/types.js';
import { validateStructural } from '../custom-resource-definition/validation/validate-structural.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';

/**
 * Tells of stored definitions whose schemas are not structural: new ones are refused.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema
 */
export function nonStructuralSchemaController(client: DefinitionClient): DefinitionController {
  return {
    name: 'non-structural-schema',
    sync: async (definition) => {
      const message = violations(definition, await loadPatternEngine());
      const changed = cloneJson(definition) as CustomResourceDefinition;
      if (message === undefined) removeCondition(changed, 'NonStructuralSchema');
      else {
        const condition = { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message } as const;
        setCondition(changed, condition, client.now());
      }
      const before = definition.status.conditions ?? [];
      if (!equalJson(changed.status.conditions ?? [], before)) await client.updateStatus(changed);
    },
  };
}

function violations(definition: CustomResourceDefinition, compilePattern: CompilePattern): string | undefined {
  const at = FieldPath.of('spec', 'versions');
  const errors = versionsOf(definition).flatMap(({ schema }, i) => {
    const props = schema?.openAPIV3Schema;
    const path = at.index(i).child('schema', 'openAPIV3Schema');
    return props === undefined ? [] : validateStructural(props, path, compilePattern);
  });
  return errors.length === 0 ? undefined : aggregateFieldErrors(errors);
}
