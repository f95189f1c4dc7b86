import { liveStoreContract } from './live.contract.js'
import { memoryLiveStore } from './live-memory.js'

liveStoreContract(async (clock) => memoryLiveStore(clock))
