// What other parts may use of the sandbox: its published keys and the deployer.

export {};
