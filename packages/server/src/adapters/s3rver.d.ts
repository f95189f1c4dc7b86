// The test server for S3 brings no types; these are the parts that are used.
declare module 's3rver' {
  interface Options {
    readonly port: number
    readonly address: string
    readonly directory: string
    readonly silent: boolean
    readonly configureBuckets: readonly { readonly name: string }[]
  }

  export default class S3rver {
    constructor(options: Options)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
