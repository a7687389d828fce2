/** Events with typed details. */
/** Stops a listener from being called. */
export type Off = () => void;
/** Calls listeners by event name; `Events` maps names to what listeners are given. */
export declare class Emitter<Events extends object> {
    #private;
    /** Call `listener` at every event of this name, until the function that is returned is called. */
    on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): Off;
    /** The next event of this name. */
    once<Name extends keyof Events>(name: Name): Promise<Events[Name]>;
    /** Tell all listeners. One that throws is reported like any uncaught error; the others go on. */
    emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void;
}
