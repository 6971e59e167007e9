import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { childrenOf, isNode, type Node, nodesIn, textMember } from './nodes.ts';

/** A name in another module: `from` is a specifier as written. */
interface ForeignName {
  readonly from: string;
  readonly name: string;
}

/** A declaration and the types that it names. */
export interface Declaration {
  /** Without comments and private members. */
  readonly text: string;
  readonly references: readonly string[];
  /** True if it has a docstring. Consecutive constants or types share that of the first. */
  readonly isDocumented: boolean;
}

/** A file of declarations, as the compiler writes it for a module. */
export interface DeclarationModule {
  readonly path: string;
  /** By its name in the module; overloads are several. */
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  /** By the exported name: a name of this module, or one of another. */
  readonly exports: ReadonlyMap<string, string | ForeignName>;
  readonly imports: ReadonlyMap<string, ForeignName>;
}

/** Kinds of declarations that may share the docstring of the first in a row. */
const sharingDocstrings: ReadonlySet<string> = new Set(['VariableDeclaration', 'TSTypeAliasDeclaration']);

/** Reads a file of declarations. Throws for `export *` and for a default export, which the house does not use. */
function parseDeclarations(path: string, text: string): DeclarationModule {
  const declarations = new Map<string, Declaration[]>();
  const exports = new Map<string, string | ForeignName>();
  const imports = new Map<string, ForeignName>();
  let last: { readonly type: string; readonly isDocumented: boolean; readonly end: number } | undefined;
  const isDocumented = (node: Node, statement: Node): boolean => {
    const between = text.slice(last?.end ?? 0, statement.start).trim();
    if (between !== '') return between.endsWith('*/');
    return last?.type === node.type && sharingDocstrings.has(node.type) && last.isDocumented;
  };
  const declare = (node: Node, statement: Node, isExported: boolean) => {
    const documented = isDocumented(node, statement);
    last = { type: node.type, isDocumented: documented, end: statement.end };
    const declaration = {
      text: shortText(text.slice(statement.start, statement.end)),
      references: referencesIn(node),
      isDocumented: documented,
    };
    for (const name of namesOf(node)) {
      declarations.set(name, [...(declarations.get(name) ?? []), declaration]);
      if (isExported) exports.set(name, name);
    }
  };
  for (const statement of childrenOf(parseAst(text, { lang: 'dts' }), 'body')) {
    const from = isNode(statement['source']) ? textMember(statement['source'], 'value') : undefined;
    if (statement.type === 'ImportDeclaration') {
      for (const { local, foreign } of specifiersOf(statement, from)) imports.set(local, foreign);
    } else if (statement.type === 'ExportNamedDeclaration') {
      const { declaration } = statement;
      if (isNode(declaration)) declare(declaration, statement, true);
      for (const { local, exported, foreign } of specifiersOf(statement, from)) {
        exports.set(exported, from === undefined ? local : foreign);
      }
    } else if (statement.type.startsWith('Export')) throw new Error(`${path}: ${statement.type} is not understood`);
    else declare(statement, statement, false);
  }
  return { path, declarations, exports, imports };
}

/** Reads modules once each. */
export class ModuleReader {
  readonly #modules = new Map<string, DeclarationModule>();

  read(path: string): DeclarationModule {
    const known = this.#modules.get(path);
    if (known !== undefined) return known;
    const module = parseDeclarations(path, readFileSync(path, 'utf8'));
    this.#modules.set(path, module);
    return module;
  }

  /** The module that a relative specifier names; undefined for another package. */
  readFrom(module: DeclarationModule, specifier: string): DeclarationModule | undefined {
    if (!specifier.startsWith('.')) return undefined;
    return this.read(resolve(dirname(module.path), specifier.replace(/\.js$/, '.d.ts')));
  }
}

interface Specifier {
  readonly local: string;
  readonly exported: string;
  readonly foreign: ForeignName;
}

function specifiersOf(statement: Node, from = ''): Specifier[] {
  return childrenOf(statement, 'specifiers').map((specifier) => {
    const name = (member: string) => {
      const node = specifier[member];
      return isNode(node) ? textMember(node, 'name') : undefined;
    };
    const local = name('local') ?? '*';
    return { local, exported: name('exported') ?? local, foreign: { from, name: name('imported') ?? local } };
  });
}

function namesOf(node: Node): string[] {
  const declared = node.type === 'VariableDeclaration' ? childrenOf(node, 'declarations') : [node];
  return declared.flatMap(({ id }) => (isNode(id) ? (textMember(id, 'name') ?? []) : []));
}

/** Where a declaration names types: the member of each kind of node that has the name. */
const namedIn: Readonly<Record<string, string>> = {
  TSTypeReference: 'typeName',
  TSTypeQuery: 'exprName',
  TSInterfaceHeritage: 'expression',
  TSClassImplements: 'expression',
  ClassDeclaration: 'superClass',
};

function referencesIn(declaration: Node): string[] {
  const found = new Set<string>();
  for (const node of nodesIn(declaration)) {
    let named = node[namedIn[node.type] ?? ''];
    while (isNode(named) && isNode(named['left'])) named = named['left'];
    const name = isNode(named) ? textMember(named, 'name') : undefined;
    if (name !== undefined) found.add(name);
  }
  return [...found];
}

const stringOrComment = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/.*/g;

function shortText(text: string): string {
  return text
    .replaceAll(stringOrComment, (_, string: string | undefined) => string ?? '')
    .replaceAll(/^ *(#private|private (readonly )?\w+);$/gm, '')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
    .replaceAll(/^( +)/gm, (indent) => ' '.repeat(indent.length / 2))
    .replace(/^export /, '')
    .replace(/^declare /, '');
}
