/** A node of a syntax tree, whose members depend on its type. */
export interface Node {
  readonly type: string;
  /** Offsets in the program's text. */
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes of a member that is a list. */
export function childrenOf(node: object, member: string): Node[] {
  const children = new Map<string, unknown>(Object.entries(node)).get(member);
  return Array.isArray(children) ? children.filter(isNode) : [];
}

/** A member that is a text. */
export function textMember(node: Node, member: string): string | undefined {
  const value = node[member];
  return typeof value === 'string' ? value : undefined;
}

/** A node and all below it. */
export function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const element of value) yield* nodesIn(element);
  else if (isNode(value)) {
    yield value;
    for (const name in value) yield* nodesIn(value[name]);
  }
}
