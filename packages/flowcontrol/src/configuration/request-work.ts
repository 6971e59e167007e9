import type { SlicedWork, SliceFlow } from '@apiserver/apimachinery/clock';
import type { QueueSet } from '../fair-queuing/queue-set.js';
import type { SeatRequest } from '../fair-queuing/request-queue.js';

/** The work of a request, for the turns of its loops. Slices after its end move the queue of its flow back. */
export class RequestWork implements SlicedWork {
  readonly flow: SliceFlow;
  readonly order: number;
  attachment: object | undefined = undefined;
  readonly #queueSet: QueueSet;
  readonly #seat: SeatRequest;

  /** `order`: its position among all requests. */
  constructor(flow: SliceFlow, order: number, queueSet: QueueSet, seat: SeatRequest) {
    this.flow = flow;
    this.order = order;
    this.#queueSet = queueSet;
    this.#seat = seat;
  }

  charge(milliseconds: number): void {
    if (this.#seat.state === 'finished') this.#queueSet.charge(this.#seat, milliseconds);
  }
}
