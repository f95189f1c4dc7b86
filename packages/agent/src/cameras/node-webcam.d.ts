/** The part of node-webcam that the agent uses. */
declare module 'node-webcam' {
  export interface Webcam {
    /** What stands at the start of the line that the shell runs. */
    bin: string
    capture(path: string, done: (error: Error | null, picture: unknown) => void): void
  }
  const NodeWebcam: { create(options: Record<string, unknown>): Webcam }
  export default NodeWebcam
}
