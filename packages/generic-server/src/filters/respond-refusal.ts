import type { StatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Logger } from '@apiserver/apiserver-contracts';
import { respondError, respondErrorInTurns } from '@apiserver/endpoints-installer';
import { laterTurn } from './later-turn.js';

/** Characters of a long message. A path may be nearly as long as a head, and messages quote it. */
const LONG_MESSAGE = 64 * 1024;

/**
 * Responds with an error. A rejected client must not delay others either: a long message is encoded in several turns.
 */
export function respondRefusal(
  exchange: Exchange,
  refusal: StatusError,
  logger: Logger,
): ApiResponse | Promise<ApiResponse> {
  if (refusal.message.length <= LONG_MESSAGE) return respondError(exchange, refusal, logger);
  return respondErrorInTurns(exchange, refusal, { logger, turn: laterTurn });
}
