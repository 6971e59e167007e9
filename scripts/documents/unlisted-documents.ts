import { posix } from 'node:path';

const link = /\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)/g;

/**
 * Documents that the list of their folder lacks: README.md lists those of `docs`, and a README in a folder of `docs`
 * lists the other documents of that folder. `files` are relative to the repository, with forward slashes.
 */
export function unlistedDocuments(files: readonly string[], read: (path: string) => string): string[] {
  const documents = files.filter((path) => path.startsWith('docs/') && path.endsWith('.md'));
  const lists = new Map<string, ReadonlySet<string>>();
  return documents.filter((path) => {
    const list = listOf(path, files);
    const listed = lists.get(list) ?? linkedFrom(list, read(list));
    lists.set(list, listed);
    return list !== path && !listed.has(path);
  });
}

function listOf(path: string, files: readonly string[]): string {
  const readme = posix.join(posix.dirname(path), 'README.md');
  return files.includes(readme) ? readme : 'README.md';
}

function linkedFrom(path: string, text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(link)].map(([, target = '']) => posix.join(posix.dirname(path), target)));
}
