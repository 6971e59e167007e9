import type { SelectableField } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { findJsonPath, parseJsonPath } from '@apiserver/resource-kit';

/** The names that field selectors use. */
export function selectableFieldNames(fields: readonly SelectableField[]): readonly string[] {
  return fields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

/**
 * Reads the selectable fields of an object; an absent field is empty.
 *
 * Upstream: selectableFields of k8s.io/apiextensions-apiserver/pkg/registry/customresource/strategy.go
 */
export function selectableFieldsOf(
  fields: readonly SelectableField[],
): (object: KubeObject) => Readonly<Record<string, string>> {
  const paths = fields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), parseJsonPath(jsonPath)] as const);
  return (object) =>
    Object.fromEntries(
      paths.map(([name, path]) => {
        const [value] = findJsonPath(object, path);
        return [name, textOf(value)];
      }),
    );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}
