import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@apiserver/api/apiextensions/v1';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { cloneJson, equalJson } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { Informer } from '@apiserver/apiserver-contracts';
import { findCondition, type NewCondition, setCondition, withOwnStatus } from '../custom-resource-definition/types.js';
import type { DefinitionClient } from './definition-client.js';
import type { DefinitionController } from './definition-queue.js';
import { DefinitionsByGroup } from './definitions-by-group.js';
import { servedCondition } from './established-condition.js';

/** Writes of different definitions share their commits, where upstream has one worker. */
const WORKERS = 16;

/** Names of the group's definitions. */
interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/**
 * Accepts the names of a definition unless another one of its group has them. `serve` takes a definition into service
 * and reports whether it is served: then the same write establishes it, where upstream needs a second one.
 *
 * Upstream: k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go
 */
export function namingController(
  informer: Informer<CustomResourceDefinition>,
  client: DefinitionClient,
  serve: (definition: CustomResourceDefinition) => boolean,
): DefinitionController {
  const definitions = new DefinitionsByGroup(informer);
  // The last written state until the informer has it, so that no name is accepted twice.
  const written = new Map<string, CustomResourceDefinition>();
  // A restored store has definitions from before.
  informer.subscribe({
    updated: (definition, old) => {
      if (versionOf(definition) < versionOf(old)) written.delete(definition.metadata.uid ?? '');
    },
    deleted: ({ metadata }) => void written.delete(metadata.uid ?? ''),
  });
  // The accepted names of writes under way, by uid.
  const claimed = new Map<string, CustomResourceDefinitionNames>();
  const newest = (group: string) => definitions.of(group).map((definition) => newerOf(definition, written));
  return {
    name: 'crd_naming_condition_controller',
    workers: WORKERS,
    related: ({ spec }) =>
      definitions
        .of(spec.group)
        .filter((other) => !isAccepted(other))
        .map(({ metadata }) => metadata.name ?? ''),
    sync: async (definition) => {
      const { uid = '' } = definition.metadata;
      // As upstream, a definition that gets its names back keeps the condition of the others.
      if (hasItsNames(definition)) return;
      const used = namesInUse(newest(definition.spec.group), definition, claimed);
      const { names, accepted, established } = judge(definition, used);
      const changed = withOwnStatus(definition);
      changed.status.acceptedNames = names;
      setCondition(changed, accepted, client.now());
      if (established !== undefined) setCondition(changed, established, client.now());
      if (equalJson(changed.status, definition.status)) return;
      if (accepted.status === 'True' && established !== undefined && serve(withOwnStatus(changed))) {
        setCondition(changed, servedCondition(definition), client.now());
      }
      claimed.set(uid, names);
      try {
        written.set(uid, await client.updateStatus(changed));
      } finally {
        claimed.delete(uid);
      }
    },
  };
}

/** The definition written here if it is newer than the informer's; otherwise forgets it. */
function newerOf(
  definition: CustomResourceDefinition,
  written: Map<string, CustomResourceDefinition>,
): CustomResourceDefinition {
  const uid = definition.metadata.uid ?? '';
  const own = written.get(uid);
  if (own === undefined) return definition;
  if (versionOf(own) > versionOf(definition)) return own;
  written.delete(uid);
  return definition;
}

function versionOf({ metadata }: CustomResourceDefinition): bigint {
  return BigInt(metadata.resourceVersion ?? '0');
}

/** Upstream: equality.Semantic.DeepEqual of both names */
function hasItsNames({ spec, status }: CustomResourceDefinition): boolean {
  return equalJson(comparableNames(spec.names), comparableNames(status.acceptedNames));
}

/** Empty lists and texts count as absent. */
function comparableNames({
  plural,
  singular = '',
  kind,
  listKind = '',
  shortNames = [],
  categories = [],
}: CustomResourceDefinitionNames) {
  return [plural, singular, kind, listKind, shortNames, categories];
}

function isAccepted(definition: CustomResourceDefinition): boolean {
  return findCondition(definition, 'NamesAccepted')?.status === 'True';
}

/**
 * Names of all definitions of a group, and those that the others are about to have. A definition cannot use one of its
 * own names for something else.
 */
function namesInUse(
  all: readonly CustomResourceDefinition[],
  definition: CustomResourceDefinition,
  claimed: ReadonlyMap<string, CustomResourceDefinitionNames>,
): UsedNames {
  const others = all.filter(({ metadata }) => metadata.uid !== definition.metadata.uid);
  const claims = others.map(({ metadata }) => claimed.get(metadata.uid ?? ''));
  const accepted = [...all.map(({ status }) => status.acceptedNames), ...claims.filter((names) => names !== undefined)];
  const present = (names: readonly (string | undefined)[]) =>
    new Set(names.filter((name) => name !== undefined && name !== '')) as Set<string>;
  return {
    resources: present(accepted.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames])),
    kinds: present(accepted.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

interface Judgement {
  readonly names: CustomResourceDefinitionNames;
  readonly accepted: NewCondition;
  /** Undefined if the condition stays. */
  readonly established: NewCondition | undefined;
}

/** Upstream: calculateNamesAndConditions */
function judge(definition: CustomResourceDefinition, used: UsedNames): Judgement {
  const { names: wanted } = definition.spec;
  const names = cloneJson(definition.status.acceptedNames) as CustomResourceDefinitionNames;
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const take = (
    name: 'plural' | 'singular' | 'kind' | 'listKind',
    taken: ReadonlySet<string>,
    reason: string,
  ): void => {
    const message = conflictOf(wanted[name] ?? '', names[name] ?? '', taken);
    if (message !== undefined) conflicts.push({ reason, message });
    else if (wanted[name] !== undefined) names[name] = wanted[name];
  };
  take('plural', used.resources, 'PluralConflict');
  take('singular', used.resources, 'SingularConflict');
  takeShortNames(wanted, names, used, conflicts);
  take('kind', used.kinds, 'KindConflict');
  take('listKind', used.kinds, 'ListKindConflict');
  if (wanted.categories === undefined) delete names.categories;
  else names.categories = [...wanted.categories];
  // The last of several conflicts is reported.
  const conflict = conflicts.at(-1);
  const accepted: NewCondition =
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict };
  return { names, accepted, established: establishedCondition(definition, accepted) };
}

function takeShortNames(
  wanted: CustomResourceDefinitionNames,
  names: CustomResourceDefinitionNames,
  used: UsedNames,
  conflicts: { readonly reason: string; readonly message: string }[],
): void {
  const existing = new Set(names.shortNames ?? []);
  const messages = (wanted.shortNames ?? [])
    .filter((name) => !existing.has(name))
    .map((name) => conflictOf(name, '', used.resources))
    .filter((message) => message !== undefined);
  if (messages.length > 0) conflicts.push({ reason: 'ShortNamesConflict', message: aggregateMessages(messages) });
  else if (wanted.shortNames === undefined) delete names.shortNames;
  else names.shortNames = [...wanted.shortNames];
}

function conflictOf(wanted: string, accepted: string, used: ReadonlySet<string>): string | undefined {
  return wanted === accepted || !used.has(wanted) ? undefined : `${quote(wanted)} is already in use`;
}

/** Until the resource is served. */
function establishedCondition(definition: CustomResourceDefinition, accepted: NewCondition): NewCondition | undefined {
  const old = findCondition(definition, 'Established');
  if (old?.status === 'True') return undefined;
  if (accepted.status === 'True') {
    // The establishing controller decides again when the definition changes.
    if (old?.reason === 'InvalidCABundle') return undefined;
    const message = 'the initial names have been accepted';
    return { type: 'Established', status: 'False', reason: 'Installing', message };
  }
  if (old !== undefined) return undefined;
  return { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}
