import type { Declaration, DeclarationModule, ModuleReader } from './declaration-module.ts';

/** A subpath that users import, and its file of declarations. */
export interface Entry {
  /** `@apiserver/x/errors` */
  readonly specifier: string;
  readonly path: string;
  /**
   * True for generated modules: the report has their names alone, because their sources are facts and checked as such.
   */
  readonly namesOnly: boolean;
}

/** A declaration by the name that its own module gives it. */
interface Found {
  readonly module: DeclarationModule;
  readonly name: string;
}

/** The text of a report, and the exports without a docstring, each as `@apiserver/x/errors: name`. */
export interface PackageReport {
  readonly text: string;
  readonly undocumented: readonly string[];
}

/**
 * The report of one package: per entry its exports with their signatures, then the types that these name and that no
 * entry exports. An export that an earlier entry has is a reference to it. Throws for an export without a declaration.
 */
export function writeReport(packageName: string, entries: readonly Entry[], reader: ModuleReader): PackageReport {
  const report = new Report(reader);
  const sections = entries.map((entry) => report.section(entry));
  const hidden = report.hidden();
  if (hidden !== '') sections.push(`## Types that are not exported\n\n${hidden}`);
  const head = `# API of ${packageName}\n\nGenerated: \`npm run check -- api\` compares it, \`node scripts/check-api.ts --write\` writes it.`;
  return { text: `${[head, ...sections].join('\n\n')}\n`, undocumented: report.undocumented };
}

class Report {
  readonly undocumented: string[] = [];
  readonly #reader: ModuleReader;
  /** The entry that has each declaration, by file and name. */
  readonly #shown = new Map<string, string>();
  readonly #referenced: Found[] = [];

  constructor(reader: ModuleReader) {
    this.#reader = reader;
  }

  section({ specifier, path, namesOnly }: Entry): string {
    const module = this.#reader.read(path);
    const names = [...module.exports.keys()].sort();
    const told = namesOnly ? fenced([`export { ${names.join(', ')} };`]) : this.#signatures(module, names, specifier);
    return `## \`${specifier}\`\n\n${told}`;
  }

  #signatures(module: DeclarationModule, names: readonly string[], specifier: string): string {
    const elsewhere = new Map<string, string[]>();
    const texts: string[] = [];
    for (const name of names) {
      const found = this.#exported(module, name);
      const from = 'from' in found ? found.from : this.#shown.get(keyOf(found));
      if (from !== undefined) elsewhere.set(from, [...(elsewhere.get(from) ?? []), name]);
      else if (!('from' in found)) {
        this.#shown.set(keyOf(found), specifier);
        if (!declarationsOf(found).some(({ isDocumented }) => isDocumented)) {
          this.undocumented.push(`${specifier}: ${name}`);
        }
        texts.push(...this.#show(found));
      }
    }
    const references = [...elsewhere].map(([from, taken]) => `export { ${taken.join(', ')} } from '${from}';`);
    return fenced([...references, ...texts]);
  }

  /** Declarations that the shown ones name, and those that these name, and so on. */
  hidden(): string {
    const texts = new Map<string, string[]>();
    for (let found = this.#referenced.pop(); found !== undefined; found = this.#referenced.pop()) {
      const key = keyOf(found);
      if (this.#shown.has(key)) continue;
      this.#shown.set(key, '');
      texts.set(`${found.name} ${key}`, this.#show(found));
    }
    const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
    return texts.size === 0 ? '' : fenced(sorted.flatMap(([, text]) => text));
  }

  #show(found: Found): string[] {
    const declarations = declarationsOf(found);
    for (const name of declarations.flatMap(({ references }) => references)) {
      const referenced = this.#local(found.module, name);
      if (referenced !== undefined) this.#referenced.push(referenced);
    }
    return declarations.map(({ text }) => text);
  }

  #exported(module: DeclarationModule, name: string): Found | { readonly from: string } {
    const target = module.exports.get(name);
    if (target === undefined) throw new Error(`${module.path} does not export ${name}`);
    const foreign = typeof target === 'string' ? module.imports.get(target) : target;
    if (foreign === undefined) return { module, name: String(target) };
    const next = this.#reader.readFrom(module, foreign.from);
    return next === undefined ? { from: foreign.from } : this.#exported(next, foreign.name);
  }

  /** Undefined for a global, a type parameter and a type of another package. */
  #local(module: DeclarationModule, name: string): Found | undefined {
    if (module.declarations.has(name)) return { module, name };
    const foreign = module.imports.get(name);
    const next = foreign && this.#reader.readFrom(module, foreign.from);
    if (foreign === undefined || next === undefined) return undefined;
    const found = this.#exported(next, foreign.name);
    return 'from' in found ? undefined : found;
  }
}

function keyOf({ module, name }: Found): string {
  return `${module.path} ${name}`;
}

function declarationsOf({ module, name }: Found): readonly Declaration[] {
  const declarations = module.declarations.get(name);
  if (declarations === undefined) throw new Error(`${module.path} does not declare ${name}`);
  return declarations;
}

function fenced(texts: readonly string[]): string {
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\``;
}
