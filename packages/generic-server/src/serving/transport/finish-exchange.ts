import type { ExchangeOutcome } from '@apiserver/apiserver-contracts';
import type { ServerExchange } from './server-exchange.js';
import type { TransportContext } from './transport-context.js';

/** Reports the outcome of an exchange. Logs the failures of its listeners. */
export function finishExchange(
  { logger }: Pick<TransportContext, 'logger'>,
  exchange: ServerExchange,
  outcome: ExchangeOutcome,
): void {
  try {
    exchange.finish(outcome);
  } catch (error) {
    logger.error(error, 'Finishing a request failed', { url: exchange.request.url });
  }
}
