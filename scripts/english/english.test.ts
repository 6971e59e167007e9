import { expect, it } from 'vitest';
import { faultsOfEnglish } from './faults-of-english.ts';
import { sentencesOfDocument, sentencesOfProgram } from './sentences.ts';

const of = (text: string) => faultsOfEnglish({ line: 1, text });

it('finds the sentences of comments, and none in code', () => {
  const program = [
    '/** One sentence. Another one',
    ' * that goes on.',
    ' * Upstream: k8s.io/apiserver/pkg/server/config.go */',
    "const text = '/** no comment */';",
    '  // By itself. `Code.` is a word.',
    '  //',
    '  // - an item',
  ].join('\n');
  expect(sentencesOfProgram(program)).toEqual([
    { line: 1, text: 'One sentence.' },
    { line: 1, text: 'Another one that goes on.' },
    { line: 5, text: 'By itself.' },
    { line: 5, text: 'code is a word.' },
    { line: 7, text: 'an item' },
  ]);
});

it('finds the sentences of a document: paragraphs, items, cells', () => {
  const document = [
    '# No sentence',
    'A [link](x.md) is',
    'text.',
    '```sh',
    'npm test',
    '```',
    '- An item.',
    '| a | b |',
  ].join('\n');
  expect(sentencesOfDocument(document).map(({ text }) => text)).toEqual(['A link is text.', 'An item.', 'a', 'b']);
});

it('counts the words of a sentence, and of its parts', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
  expect([of(words(25)), of(words(26)), of(`${words(20)}; ${words(20)}`)]).toEqual([[], ['long'], []]);
});

it('takes no clause for a subject, but a question', () => {
  const sentences = [
    'Who waits, by name.',
    'Whether it runs.',
    'What is left?',
    'Where it ends, it waits.',
    'A what-if.',
    'How long it waits.',
    'Why it waits.',
  ];
  expect(sentences.map(of)).toEqual([['clause'], ['clause'], [], [], [], ['clause'], ['clause']]);
});
