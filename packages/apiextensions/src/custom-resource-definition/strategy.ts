import type { CustomResourceDefinition, JSONSchemaProps } from '@apiserver/api/apiextensions/v1';
import type { Json } from '@apiserver/apimachinery';
import { inSlices } from '@apiserver/apimachinery/clock';
import { parseJsonValue, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { roundIntegers } from '@apiserver/apimachinery/codec/structural';
import { isDecodeError, newBadRequest } from '@apiserver/apimachinery/errors';
import { cloneJson } from '@apiserver/apimachinery/json';
import { type CompilePattern, loadPatternEngine } from '@apiserver/apimachinery/patterns';
import { quote } from '@apiserver/apimachinery/text';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateDefinitionRules } from '../rules/definition-rules.js';
import { hasRules } from '../rules/has-rules.js';
import { loadRuleEngine } from '../rules/load-rule-engine.js';
import type { RuleEngine } from '../rules/rule-engine.js';
import type { SchemaWithRules } from '../rules/validate-expressions.js';
import { someSchema } from '../schema/schemas-in.js';
import { isSupportedFormat } from '../schema/supported-format.js';
import { equalSpecs } from './empty-members.js';
import { storageVersionOf, versionsOf } from './types.js';
import { coerceDefaults } from './validation/validate-defaults.js';
import {
  validateDefinition,
  validateDefinitionStatusUpdate,
  validateDefinitionUpdate,
} from './validation/validate-definition.js';
import type { DefinitionValidation } from './validation/validate-version-schema.js';

/**
 * Strategy of the main endpoint of CustomResourceDefinitions.
 * Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go
 */
export function definitionStrategy(): Strategy<CustomResourceDefinition> {
  // Loaded before validation, which is synchronous.
  let compilePattern: CompilePattern = notLoaded;
  let engine: RuleEngine | undefined;
  const load = async (definition: CustomResourceDefinition) => {
    if (compilePattern === notLoaded) compilePattern = await loadPatternEngine();
    if (definitionHasRules(definition)) engine ??= await loadRuleEngine();
  };
  /** Schemas of definitions whose rules `validateInTurns` checks. */
  const schemas = new WeakMap<CustomResourceDefinition, SchemaWithRules[]>();
  const validationOf = (definition: CustomResourceDefinition): DefinitionValidation => {
    const withRules: SchemaWithRules[] = [];
    schemas.set(definition, withRules);
    return { compilePattern, withRules };
  };
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    resetFields: ['status'],
    async prepareForCreate(_context, definition) {
      await load(definition);
      definition.metadata.generation = 1;
      definition.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
      noteStorageVersion(definition);
      convertSchemas(definition);
      coerceAllDefaults(definition);
    },
    warningsOnCreate: (_context, definition) => unrecognizedFormats(definition).map(formatWarning),
    validate: (_context, definition) => validateDefinition(definition, validationOf(definition)),
    validateInTurns(_context, definition) {
      const withRules = schemas.get(definition) ?? [];
      return engine === undefined ? [] : inSlices(validateDefinitionRules(withRules, engine));
    },
    async prepareForUpdate(_context, definition, old) {
      await load(definition);
      definition.status = cloneJson(old.status);
      convertSchemas(definition);
      if (!equalSpecs(definition.spec, old.spec)) {
        definition.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
      }
      noteStorageVersion(definition);
      coerceAllDefaults(definition);
    },
    warningsOnUpdate(_context, definition, old) {
      const before = new Set(unrecognizedFormats(old));
      return unrecognizedFormats(definition)
        .filter((format) => !before.has(format))
        .map(formatWarning);
    },
    validateUpdate: (_context, definition, old) => validateDefinitionUpdate(definition, old, validationOf(definition)),
  };
}

/**
 * Strategy of the status endpoint. Metadata may change, because the finalizing controller removes the finalizer here.
 */
export function definitionStatusStrategy(): Strategy<CustomResourceDefinition> {
  return {
    ...definitionStrategy(),
    resetFields: ['spec'],
    prepareForUpdate(_context, definition, old) {
      // Shared, since it is frozen: it is then neither copied nor compared by those who follow definitions.
      definition.spec = old.spec;
    },
    warningsOnUpdate: () => [],
    validateUpdate: (_context, definition, old) => validateDefinitionStatusUpdate(definition, old),
  };
}

function definitionHasRules(definition: CustomResourceDefinition): boolean {
  return versionsOf(definition).some(({ schema }) => schema?.openAPIV3Schema && hasRules(schema.openAPIV3Schema));
}

/**
 * Rounds the values in schemas and sorts their keys, as upstream's conversion does. Mutates. Throws a BadRequest for a
 * number beyond a double's range.
 *
 * Upstream: Convert_v1_JSON_To_apiextensions_JSON in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go
 */
function convertSchemas(definition: CustomResourceDefinition): void {
  try {
    for (const { schema } of versionsOf(definition)) {
      if (schema?.openAPIV3Schema !== undefined) someSchema(schema.openAPIV3Schema, convertValues);
    }
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const kind = 'CustomResourceDefinition';
    throw newBadRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${error.message}`);
  }
}

function convertValues(props: JSONSchemaProps): false {
  if (props.default !== undefined) props.default = converted(props.default);
  if (props.example !== undefined) props.example = converted(props.example);
  if (props.enum) props.enum = props.enum.map(converted);
  return false;
}

function converted(value: Json): Json {
  const isScalar = typeof value !== 'object' || value === null;
  return roundIntegers(isScalar ? value : parseJsonValue(Buffer.from(stringifyJson(value)))) as Json;
}

function coerceAllDefaults(definition: CustomResourceDefinition): void {
  for (const { schema } of versionsOf(definition)) {
    if (schema?.openAPIV3Schema !== undefined) coerceDefaults(schema.openAPIV3Schema);
  }
}

/** Formats that validation ignores, without duplicates. Upstream: getUnrecognizedFormatsInCRD */
function unrecognizedFormats(definition: CustomResourceDefinition): readonly string[] {
  const unknown = new Set<string>();
  for (const { schema } of versionsOf(definition)) {
    if (schema?.openAPIV3Schema === undefined) continue;
    someSchema(schema.openAPIV3Schema, (props) => {
      if (props.format && !isSupportedFormat(props)) unknown.add(props.format);
      return false;
    });
  }
  return [...unknown];
}

function formatWarning(format: string): string {
  return `unrecognized format ${quote(format)}`;
}

/** Records that objects are written in the storage version from now on. Mutates. */
function noteStorageVersion(definition: CustomResourceDefinition): void {
  const storage = storageVersionOf(definition)?.name;
  const stored = definition.status.storedVersions ?? [];
  if (storage !== undefined && !stored.includes(storage)) definition.status.storedVersions = [...stored, storage];
}

const notLoaded: CompilePattern = () => {
  throw new TypeError('the pattern engine is loaded by prepareForCreate and prepareForUpdate');
};
