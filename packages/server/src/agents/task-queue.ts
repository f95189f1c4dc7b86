type Task = () => Promise<void>

/** Runs tasks one after another, in the order in which they were added. */
export class TaskQueue {
  readonly #waiting: Task[] = []
  readonly #onError: (err: unknown) => void
  readonly #onDone: () => void
  #isRunning = false

  /**
   * @param onError a task failed; the next one runs all the same
   * @param onDone called after each task
   */
  constructor(onError: (err: unknown) => void, onDone: () => void) {
    this.#onError = onError
    this.#onDone = onDone
  }

  /** How many tasks have not begun. */
  get waiting(): number {
    return this.#waiting.length
  }

  add(task: Task): void {
    this.#waiting.push(task)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      await task().catch(this.#onError)
      this.#onDone()
    }
    this.#isRunning = false
  }
}
