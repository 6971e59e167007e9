import { Buffer } from 'node:buffer';

/** Each is preceded by its length in the dictionary. */
const WORDS = [
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age',
  'allow authorization cache-control connection content-base content-encoding content-language content-length',
  'content-location content-md5 content-range content-type date etag expect expires from host if-match',
  'if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma',
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade',
  'user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie',
  'keep-alive origin',
]
  .join(' ')
  .split(' ')
  .map((word) => word.replace('_', ' '));

const TAIL = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Author',
  'itative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 No',
  't Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Au',
  'g Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,',
  'image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,def',
  'late,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
].join('');

/**
 * The preset dictionary of header blocks, with which short ones compress well too.
 * Upstream: section 2.6.10.1 of the SPDY/3 draft
 */
export function headerDictionary(): Buffer {
  const parts = WORDS.flatMap((word) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    return [length, Buffer.from(word, 'latin1')];
  });
  return Buffer.concat([...parts, Buffer.from(TAIL, 'latin1')]);
}
