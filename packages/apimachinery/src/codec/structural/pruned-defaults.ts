import { cloneJson } from '../../json/clone-json.js';
import { equalJson } from '../../json/equal-json.js';
import { isMembers, type Members } from '../../json/is-members.js';
import { setOwn } from '../../json/set-own.js';
import type { StructSchema } from '../../schema/schema.js';
import { coerceEmbedded } from './embedded/coerce-embedded.js';
import { prune } from './prune.js';
import { repairEmbedded } from './repair-stored.js';
import type { StructuralNode } from './structural-node.js';

/** A member's name, or the only element of a list. */
type Step = string | typeof ELEMENT;

const ELEMENT = Symbol('element');

/**
 * The root with defaults as objects get them: the fields that neither the schema nor metadata declares are removed, and
 * malformed metadata too. Nodes are shared with `root` where nothing changes.
 *
 * Upstream: PruneDefaults of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting
 */
export function withPrunedDefaults(root: StructuralNode, metadata: StructSchema): StructuralNode {
  const pruned = (value: unknown, path: readonly Step[]): unknown => {
    const around = surround(cloneJson(value), path);
    if (!isMembers(around)) return value;
    repairEmbedded(around, root, metadata);
    coerceEmbedded(around, root, metadata);
    prune(around, root);
    const kept = focus(around, path);
    return equalJson(kept, value) ? value : kept;
  };
  const visit = (node: StructuralNode, path: readonly Step[]): StructuralNode => {
    const value = node.default === undefined || node.default === null ? node.default : pruned(node.default, path);
    const items = node.items && visit(node.items, [...path, ELEMENT]);
    const rest = node.rest === undefined || node.rest === 'open' ? node.rest : visit(node.rest, [...path, '*']);
    const fields = visitFields(node.fields, path);
    const isSame = value === node.default && items === node.items && rest === node.rest && fields === node.fields;
    return isSame ? node : { ...node, default: value, items, rest, fields };
  };
  const visitFields = (fields: StructuralNode['fields'], path: readonly Step[]): StructuralNode['fields'] => {
    const changed = new Map<string, StructuralNode>();
    for (const [name, field] of fields) {
      const visited = visit(field, [...path, name]);
      if (visited !== field) changed.set(name, visited);
    }
    return changed.size === 0
      ? fields
      : new Map([...fields].map(([name, field]) => [name, changed.get(name) ?? field]));
  };
  return visit(root, []);
}

/** A value with the objects and lists around it. */
function surround(value: unknown, path: readonly Step[]): unknown {
  return path.reduceRight((inner, step) => (step === ELEMENT ? [inner] : memberOf(step, inner)), value);
}

function memberOf(name: string, value: unknown): Members {
  const object: Members = {};
  setOwn(object, name, value);
  return object;
}

/** The value at a path; undefined if it was removed. */
function focus(around: unknown, path: readonly Step[]): unknown {
  let value: unknown = around;
  for (const step of path) {
    if (step === ELEMENT) value = Array.isArray(value) ? value[0] : undefined;
    else value = isMembers(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
