/** A word in camel case or with underscores, alone or behind a dot; no part of a path, a flag or a host. */
const NAME = /(?<![-\w/$])(?=\w*[a-z_])[A-Za-z_$][\w$]*[A-Z][\w$]*(?![-\w/])/g;

/** The identifiers of programs, as `unknownNames` compares them. */
export function namesIn(program: string): readonly string[] {
  return program.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/**
 * The names of programs that a Markdown document has as code, and that are not known: those of functions, types and
 * fields that were renamed or removed. The document's own examples may introduce names.
 */
export function unknownNames(text: string, known: ReadonlySet<string>): readonly string[] {
  const example = /^```[\s\S]*?^```/gm;
  const own = new Set((text.match(example) ?? []).flatMap(namesIn));
  const code = text.replace(example, '').match(/`[^`\n]+`/g) ?? [];
  const names = new Set(code.flatMap((span) => span.match(NAME) ?? []));
  return [...names].filter((name) => !known.has(name) && !own.has(name));
}
