import type { ParsedSpan } from '../parsed-span.js';
import type { SourceToken } from '../token.js';

/** A node of the tree that the recovering parser makes of a source, right or wrong. */
export interface SyntaxNode {
  readonly rule: string;
  /** The alternative of the rule; none if an error came before it was chosen. */
  label?: string;
  readonly children: (SyntaxNode | SourceToken)[];
  /** The first token of the rule. */
  readonly first: SourceToken;
  /** Result of the fast parser for a node without syntax errors. Such a node has no children. */
  readonly parsed?: ParsedSpan;
}

/** The nodes of a rule among the children. */
export function childNodes(node: SyntaxNode, rule: string): readonly SyntaxNode[] {
  return node.children.filter((child): child is SyntaxNode => isNode(child) && child.rule === rule);
}

/** The tokens of a type among the children, with those that error recovery made up. */
export function childTokens(node: SyntaxNode, type: number): readonly SourceToken[] {
  return node.children.filter((child): child is SourceToken => !isNode(child) && child.type === type);
}

/** Distinguishes a node from a token. */
export function isNode(child: SyntaxNode | SourceToken): child is SyntaxNode {
  return 'rule' in child;
}
