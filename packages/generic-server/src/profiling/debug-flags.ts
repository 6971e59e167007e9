import { Buffer } from 'node:buffer';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Handler } from '@apiserver/apiserver-contracts';
import type { NonGoRestfulMux } from '../mux/non-go-restful-mux.js';
import { plainText } from '../serving/transport/plain-text.js';

/** Maximum size of a flag's value. */
const MAX_VALUE_BYTES = 4096;

/** Changes a flag of the running process and returns a message. Throws an Error for an invalid value. */
export type DebugFlagSetter = (value: string) => string;

/** Serves changes of flags by PUT, below /debug/flags. Upstream: k8s.io/apiserver/pkg/server/routes.DebugFlags */
export function installDebugFlags(mux: NonGoRestfulMux, flags: Readonly<Record<string, DebugFlagSetter>>): void {
  const index: Handler = async (exchange) => {
    const response = plainText(exchange, 200, indexPage(Object.keys(flags)));
    exchange.responseHeaders.set('content-type', 'text/html; charset=utf-8');
    return response;
  };
  mux.handle('/debug/flags', index, { unlisted: true });
  mux.handlePrefix('/debug/flags/', index, { unlisted: true });
  for (const [name, set] of Object.entries(flags)) {
    mux.handle(`/debug/flags/${name}`, (exchange) => setFlag(exchange, set), { unlisted: true });
  }
}

/** Upstream: indexTmpl */
function indexPage(names: readonly string[]): string {
  const rows = names.map((name) => `<tr>${name}<br>\n`).join('');
  const head = '<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n';
  return `${head}/debug/flags/<br>\n<br>\nflags:<br>\n<table>\n${rows}</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n`;
}

/** Upstream: StringFlagPutHandler */
async function setFlag(exchange: Exchange, set: DebugFlagSetter): Promise<ApiResponse> {
  if (exchange.request.method !== 'PUT') return line(exchange, 406, 'unsupported http method');
  const value = Buffer.from(await exchange.request.readBody(MAX_VALUE_BYTES)).toString();
  try {
    return line(exchange, 200, set(value));
  } catch (error) {
    return line(exchange, 400, messageOf(error));
  }
}

/** Upstream: writePlainText */
function line(exchange: Exchange, status: number, text: string): ApiResponse {
  exchange.responseHeaders.set('content-type', 'text/plain');
  exchange.responseHeaders.set('x-content-type-options', 'nosniff');
  return { type: 'bytes', status, body: Buffer.from(`${text}\n`) };
}
