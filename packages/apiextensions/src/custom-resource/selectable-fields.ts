import type { SelectableField } from '@apiserver/api/apiextensions/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { findJsonPath, parseJsonPath } from '@apiserver/resource-kit';

/** The names that field selectors use. */
export function selectableFieldNames(fields: readonly SelectableField[]): readonly string[] {
  return fields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

/** A name that JSON has without escapes, in one byte for each character. */
const PLAIN_NAME = /^(?!__proto__$)[\w.-]+$/;

/** See ResourceDefinition. Undefined where a path has more than names, or unusual ones. */
export function selectablePaths(fields: readonly SelectableField[]): readonly (readonly string[])[] | undefined {
  const paths = fields.map(({ jsonPath }) => {
    const [steps = [], ...more] = parseJsonPath(jsonPath);
    return more.length > 0 ? [''] : steps.map((step) => (step.type === 'field' ? step.name : ''));
  });
  return paths.flat().every((name) => PLAIN_NAME.test(name)) ? paths : undefined;
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
