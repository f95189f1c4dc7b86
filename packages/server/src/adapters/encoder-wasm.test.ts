import { encoderContract } from './encoder.contract.js'
import { wasmEncoder } from './encoder-wasm.js'

encoderContract(async () => wasmEncoder())
