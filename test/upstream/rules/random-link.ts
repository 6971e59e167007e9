import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';

const LINKS = [
  ...[
    '/x',
    'x',
    '/a/b/',
    'http://back:80/a',
    'http://other/a b',
    'http://req:1/p',
    '/p/q',
    '//back:80/x',
    '/a%2Fb',
    '/<s>',
  ],
  ...[
    '/a%20b?x=y#f',
    '?q',
    '#f',
    'http://u:p@back:80/x',
    'mailto:a@b',
    'HTTP://back:80/A',
    '/a/../b',
    '/./x/',
    '/a//b',
  ],
  ...['http://back:80', '/%zz', '/é', '/a;b=c?d=%zz', '//other', 'a:b/c', ':x', '/x#a b', '/x?a b', "/!'()*", '/[x]'],
] as [string, ...string[]];
const PAGES = [
  ...['<a href="LINK">x</a>', "<a href='LINK'>", '<A HREF=LINK>', '<img src="LINK" alt="a&amp;b"/>', '<a/href="LINK">'],
  ...[
    '<script>if (a<b) "<a href=LINK>"</script><a href="LINK">',
    '<!-- <a href="LINK"> -->',
    '<a href="LINK"',
    '<a href="">',
  ],
  ...['<!DOCTYPE html><html manifest="LINK">', '<a href="LINK" href="/2">', '<textarea><a href="LINK"></textarea>'],
  ...[
    '<a title="1 &lt; 2 &copy; &#39;" href="LINK">',
    '<iframe src="LINK"><a href="LINK"></iframe>',
    '<a href="&#x2F;x">',
  ],
] as [string, ...string[]];

/** A redirect or a page of a backend at `http://back:80/a`. */
export interface LinkCase {
  readonly scheme: string;
  readonly host: string;
  readonly pathPrepend: string;
  readonly requestHost: string;
  /** Empty for a page. */
  readonly location: string;
  readonly page: string;
}

export function randomLink(random: Random): LinkCase {
  const own = random.chance(0.4);
  // Headers have no control characters.
  const link = mutatedAtTimes(random, random.of(LINKS)).replaceAll(/\p{Cc}/gu, '');
  const isPage = random.chance(0.5) || link === '';
  return {
    ...(own ? { scheme: 'https', host: 'own:2' } : { scheme: '', host: '' }),
    pathPrepend: random.of(['/p', '/p/q', '', '/api/v1/namespaces/n/services/s/proxy']),
    requestHost: random.of(['req:1', 'back:80']),
    location: isPage ? '' : link,
    page: isPage ? random.of(PAGES).replaceAll('LINK', link) : '',
  };
}

function mutatedAtTimes(random: Random, text: string): string {
  return random.chance(0.5) ? text : mutated(random, text);
}
