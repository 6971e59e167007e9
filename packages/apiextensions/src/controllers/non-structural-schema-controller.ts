import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { aggregateFieldErrors, appendAll, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { type CompilePattern, loadPatternEngine } from '@apiserver/apimachinery/patterns';
import type { Informer } from '@apiserver/apiserver-contracts';
import {
  findCondition,
  type NewCondition,
  removeCondition,
  setCondition,
  versionsOf,
  withOwnStatus,
} from '../custom-resource-definition/types.js';
import { validateStructural } from '../custom-resource-definition/validation/validate-structural.js';
import { unsupportedConstruct } from '../schema/unsupported-construct.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';

/**
 * Sets the condition of stored definitions whose schemas are not structural; new ones are refused.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema
 */
export function nonStructuralSchemaController(
  informer: Pick<Informer<CustomResourceDefinition>, 'subscribe'>,
  client: Pick<DefinitionClient, 'updateStatus' | 'now'>,
): DefinitionController {
  let compilePattern: CompilePattern | undefined;
  /**
   * By name and uid, which an object that was written into etcd may lack: the last generation whose schemas are
   * structural: a change of the status does not need another look.
   */
  const structural = new Map<string, number>();
  informer.subscribe({ deleted: (definition) => void structural.delete(keyOf(definition)) });
  return {
    name: 'non_structural_schema_condition_controller',
    sync: async (definition) => {
      const { generation = 0 } = definition.metadata;
      const key = keyOf(definition);
      const hasCondition = findCondition(definition, 'NonStructuralSchema') !== undefined;
      if (!hasCondition && structural.get(key) === Number(generation)) return;
      compilePattern ??= await loadPatternEngine();
      const condition = nonStructuralCondition(definition, compilePattern);
      if (condition === undefined) structural.set(key, Number(generation));
      const changed = withOwnStatus(definition);
      if (condition === undefined) removeCondition(changed, 'NonStructuralSchema');
      else setCondition(changed, condition, client.now());
      const before = definition.status.conditions ?? [];
      if (!equalJson(changed.status.conditions ?? [], before)) await client.updateStatus(changed);
    },
  };
}

function keyOf({ metadata: { name = '', uid = '' } }: CustomResourceDefinition): string {
  return `${name} ${uid}`;
}

/**
 * The condition of a definition with non-structural schemas; undefined if they are structural.
 *
 * Upstream: calculateCondition of k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema
 */
export function nonStructuralCondition(
  definition: CustomResourceDefinition,
  compilePattern: CompilePattern,
): NewCondition | undefined {
  const preserves = definition.spec.preserveUnknownFields === true;
  const at = FieldPath.of('spec', 'versions');
  const errors = preserves ? [fieldInvalid(FieldPath.of('spec', 'preserveUnknownFields'), true, 'must be false')] : [];
  for (const [i, { name, schema }] of versionsOf(definition).entries()) {
    const props = schema?.openAPIV3Schema;
    if (props === undefined) continue;
    const unsupported = unsupportedConstruct(props);
    if (unsupported !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${unsupported}`;
      return { type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message };
    }
    appendAll(errors, validateStructural(props, at.index(i).child('schema', 'openAPIV3Schema'), compilePattern));
  }
  if (errors.length === 0) return undefined;
  const message = aggregateFieldErrors(errors);
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message };
}
