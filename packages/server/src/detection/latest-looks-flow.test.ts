import { latestLooks } from './latest-looks-flow.js'
import { looksContract } from './looks.contract.js'

looksContract(async (detector) => latestLooks(detector))
