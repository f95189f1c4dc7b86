/**
 * Where the decisions about each printer are made: at the node that holds its agent's socket, so that what is known of its cameras is
 * changed by one node at a time, wherever its pictures and its user's requests arrive. Messages are plain JSON.
 */
export interface Homes {
  /** Whether there are no other nodes: nothing has to be handed on to them. */
  readonly isAlone: boolean
  /**
   * The printer's agent is connected here: `take` hears what other nodes have to say about it, until the returned function is called. Who
   * said it goes on when what `take` returns has ended; where that rejects, the home counts as none.
   */
  settle(printerId: number, take: (message: unknown) => void | Promise<void>): () => void
  /** Whether decisions about the printer are not made here. True as well when they are made nowhere. */
  isElsewhere(printerId: number): boolean
  /** Hands something to the printer's home; false when it has none, or one that could not do it in time. */
  send(printerId: number, message: unknown): Promise<boolean>
}

/** All printers of a server that is alone are at home there. */
export const ONE_HOME: Homes = {
  isAlone: true,
  settle: () => () => {},
  isElsewhere: () => false,
  send: async () => false,
}
